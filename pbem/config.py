"""Read config.toml and PBEM_* variables into one frozen Config."""

import re
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import pydantic
import pydantic_settings
from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from pytimeparse.timeparse import timeparse

from pbem.errors import AdminError

FILE = "config.toml"
PLACE = re.compile(r"[^@\s]+@[^@\s]+|@[^@\s:]+:\S+")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _span(value: Any) -> Any:
    if isinstance(value, str):
        seconds = timeparse(value)
        if not seconds or seconds <= 0 or value.strip().isdigit():
            raise ValueError("write a span of time such as 30s, 4h or 3d")
        return timedelta(seconds=seconds)
    return value


def _places(value: Any) -> Any:
    """Let one address stand for a list of one."""
    places = value if isinstance(value, list | tuple) else [value]
    if not places or not all(isinstance(one, str) and PLACE.fullmatch(one) for one in places):
        raise ValueError('write a mail address, a Matrix id (@mona:example.org), or a list of them: ["...", "..."]')
    return places


class Part(BaseModel):
    """Refuse what is not known, and stay as it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Office(Part):
    """Say who we are in letters."""

    name: str = "pbem"
    address: str = Field(default="games@example.org", pattern=r"^[^@\s+]{1,20}@[^@\s]+$")
    plus: bool = True
    zone: str = "UTC"
    authserv_id: str = ""

    @property
    def domain(self) -> str:
        """Give the right-hand side of our address."""
        return self.address.partition("@")[2]


class Store(Part):
    """Say where the database and the two files beside it lie.

    Secret: the URL may hold a password, so it is never shown.
    """

    url: str = Field(default="sqlite:///pbem.sqlite", repr=False)
    key_file: Path = Path("token.key")
    instance_file: Path = Path("instance")
    keep: timedelta = timedelta(days=30)

    _spans = pydantic.field_validator("keep", mode="before")(_span)


class Server(Part):
    """Say where one server of the post is, and how to log in.

    Secret: the password is never shown.
    """

    host: str = ""
    port: int = Field(default=0, ge=0, le=65535)
    user: str = ""
    password: SecretStr = SecretStr("")
    password_file: Path | None = None
    tls: Literal["tls", "starttls", "none"] = "tls"
    ca_file: Path | None = None

    @pydantic.model_validator(mode="after")
    def _is_safe(self) -> Self:
        """Let no password cross a network in the clear."""
        if self.tls == "none" and self.host not in LOOPBACK:
            raise ValueError('tls = "none" is only for a server on this machine: write "tls" or "starttls"')
        if self.password_file is not None and self.password.get_secret_value():
            raise ValueError("give either a password or a password_file")
        return self


class Imap(Server):
    """Say which mailbox is the office's."""

    port: int = Field(default=993, ge=1, le=65535)
    folder: str = "INBOX"


class Smtp(Server):
    """Say who takes the office's letters; without a user nobody logs in."""

    port: int = Field(default=587, ge=1, le=65535)
    tls: Literal["tls", "starttls", "none"] = "starttls"


class Mail(Part):
    """Say how letters come and go: two Maildirs here, or a mailbox elsewhere."""

    transport: Literal["maildir", "imap"] = "maildir"
    inbox: Path = Path("mail/in")
    outbox: Path = Path("mail/out")
    imap: Imap = Imap()
    smtp: Smtp = Smtp()

    @pydantic.model_validator(mode="after")
    def _is_whole(self) -> Self:
        needed = {"imap.host": self.imap.host, "imap.user": self.imap.user, "smtp.host": self.smtp.host}
        missing = [name for name, value in needed.items() if not value]
        if self.transport == "imap" and missing:
            raise ValueError(f'transport = "imap" needs {" and ".join(missing)}')
        return self


class Matrix(Part):
    """Say which Matrix account is the office's; without a homeserver there is none.

    Secret: password and token are never shown.
    """

    homeserver: str = Field(default="", pattern=r"^(https?://[^\s/]+)?/?$")
    user: str = Field(default="", pattern=r"^(@[^\s:]+:\S+)?$")
    password: SecretStr = SecretStr("")
    password_file: Path | None = None
    token: SecretStr = SecretStr("")
    token_file: Path | None = None
    device_name: str = "pbem"
    folder: Path = Path("matrix")
    ca_file: Path | None = None
    encryption: bool = True
    moderators_room: str = Field(default="", pattern=r"^(!\S+)?$")

    @pydantic.model_validator(mode="after")
    def _is_whole(self) -> Self:
        """Let nothing secret cross a network in the clear, and know as whom to log in, in one way."""
        host = self.homeserver.partition("://")[2].rstrip("/")
        if self.homeserver.startswith("http://") and host.rpartition(":")[0] not in LOOPBACK and host not in LOOPBACK:
            raise ValueError("http:// is only for a homeserver on this machine: write https://")
        ways = [self.password.get_secret_value(), self.password_file, self.token.get_secret_value(), self.token_file]
        if self.homeserver and (not self.user or sum(map(bool, ways)) != 1):
            raise ValueError("a homeserver needs user, and one of password_file, token_file, password and token")
        return self


class Time(Part):
    """Hold every span that the house goes by."""

    tick: timedelta = timedelta(seconds=30)
    clock: timedelta = timedelta(hours=72)
    reminders: tuple[str, ...] = ("half", "24h", "4h")
    downtime_after: timedelta = timedelta(hours=2)
    grace: timedelta = timedelta(hours=12)
    away_days: int = Field(default=14, ge=0, le=365)

    _spans = pydantic.field_validator("tick", "clock", "downtime_after", "grace", mode="before")(_span)


class Log(Part):
    """Say where the JSON log lies; a traceback in it may hold cards."""

    file: Path = Path("pbem.log.jsonl")


class Metrics(Part):
    """Say where figures for Prometheus are written; None: nowhere."""

    file: Path | None = None


Places = Annotated[tuple[str, ...], pydantic.BeforeValidator(_places)]
"""All addresses of one moderator, by mail and by Matrix."""


class Config(BaseSettings):
    """Hold all settings of one house; `folder` is where its relative paths start."""

    model_config = SettingsConfigDict(
        env_prefix="PBEM_", env_nested_delimiter="__", extra="forbid", frozen=True, hide_input_in_errors=True
    )

    folder: Path = Path()
    office: Office = Office()
    store: Store = Store()
    mail: Mail = Mail()
    matrix: Matrix = Matrix()
    time: Time = Time()
    log: Log = Log()
    metrics: Metrics = Metrics()
    moderators: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,20}$")], Places] = {}

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the file."""
        return env_settings, init_settings

    def path(self, relative: Path) -> Path:
        """Resolve a path of the config against its folder."""
        return self.folder / relative

    @property
    def database_url(self) -> str:
        """Give the database's URL with a relative SQLite path resolved."""
        prefix, is_sqlite, place = self.store.url.partition("sqlite:///")
        if not is_sqlite or prefix or place == ":memory:":
            return self.store.url
        return f"sqlite:///{self.path(Path(place)).resolve()}"


def load(path: Path) -> Config:
    """Read a config file and the environment.

    Raises: AdminError, naming the file and the setting that is wrong.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise AdminError(f"there is no {path}; `pbem init` makes one, --config names another") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AdminError(f"{path} cannot be read: {error}") from error
    try:
        return Config(**{**values, "folder": path.resolve().parent})
    except pydantic_settings.SettingsError as error:
        raise AdminError(f"a PBEM_ variable of the environment cannot be read: {error}") from error
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        setting = ".".join(str(part) for part in first["loc"])
        raise AdminError(f"{path}: {setting}: {first['msg']}") from error
