"""Be logged in at a homeserver, and make requests of it; what it says becomes an answer or one of our failures.

Device and access token stand in `device.json` of a folder, so that a restart goes on as the same device.
"""

import asyncio
import json
import os
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import aiohttp
import structlog
from nio import AsyncClient, AsyncClientConfig

from pbem.errors import PermanentFailure, TemporaryFailure

__all__ = ["Account", "Refused", "Revoked", "Session", "keep"]

log = structlog.get_logger()
ROOT = "/_matrix/client/v3"
DEVICE = "device.json"
PATIENCE = 60.0
"""How many seconds a request waits in all where the server says that there were too many."""
ROOM = 30.0
"""How many seconds the server has to answer."""
RENEWALS = 2


@dataclass(frozen=True, slots=True)
class Account:
    """Name the homeserver, and the account on it.

    Secret: password and token are never shown.
    """

    homeserver: str
    user: str
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    device_name: str = "pbem"
    ca_file: Path | None = None


class Refused(PermanentFailure):
    """Say that the server refused a request: `code` is its word for why, `session` where it asks who we are first."""

    def __init__(self, code: str, told: str, session: str = "") -> None:
        super().__init__(f"the homeserver refused it: {told or code}")
        self.code = code
        self.session = session


class Revoked(PermanentFailure):
    """Say that the server takes the bot's login no more: an operator must mend it."""


class Session:
    """Make requests as one device of one account."""

    def __init__(self, account: Account, folder: Path, *, encrypted: bool = False, timeout: float = ROOM) -> None:
        self.account = account
        self.folder = folder
        self.encrypted = encrypted
        self.user_id = ""
        self._timeout = timeout
        self._client: AsyncClient | None = None
        self._entering = asyncio.Lock()

    @property
    def client(self) -> AsyncClient:
        """Give the client of the library, once logged in."""
        assert self._client is not None
        return self._client

    async def enter(self) -> str:
        """Log in, unless that was done, and give our user id.

        Raises: TemporaryFailure, Revoked.
        """
        async with self._entering:
            if not self.user_id:
                known = self._known()
                if known is None:
                    known = await self._by_token() if self.account.token else await self._by_password()
                self._be(known)
        return self.user_id

    async def call(
        self, method: str, *path: str, body: object = None, query: Mapping[str, str] = {}, wait: float = 0.0
    ) -> dict[str, Any]:
        """Make a request, wait out limits, renew a login that lapsed, and give the answer.

        Raises: TemporaryFailure, Refused, Revoked.
        """
        found = await self.listed(method, *path, body=body, query=query, wait=wait)
        return found if isinstance(found, dict) else {}

    async def listed(
        self, method: str, *path: str, body: object = None, query: Mapping[str, str] = {}, wait: float = 0.0
    ) -> Any:
        """Make a request whose answer may be a list.

        Raises: TemporaryFailure, Refused, Revoked.
        """
        await self.enter()
        place = f"{ROOT}/{'/'.join(quote(part, safe='') for part in path)}{'?' if query else ''}{urlencode(query)}"
        for again in range(RENEWALS):
            token = self.client.access_token
            status, answer = await self._asked(method, place, body, wait, token)
            if status != 401 or answer.get("errcode") not in ("M_UNKNOWN_TOKEN", "M_MISSING_TOKEN"):
                break
            await self._renew(token, soft=bool(answer.get("soft_logout")) and not again)
        return _judged(status, answer)

    async def close(self) -> None:
        """Let go of the connections; they are made again when they are needed."""
        client, self._client, self.user_id = self._client, None, ""
        if client is not None:
            await client.close()

    async def _asked(self, method: str, place: str, body: object, wait: float, token: str) -> tuple[int, Any]:
        """Ask until the server no longer says that there were too many requests."""
        left = PATIENCE
        while True:
            status, answer = await self._ask(method, place, body, wait, token)
            if status != 429:
                return status, answer
            pause = max(0.05, float(answer.get("retry_after_ms") or 1000) / 1000)
            left -= pause
            if left < 0:
                raise TemporaryFailure("the homeserver wants fewer requests; they are made again later")
            await asyncio.sleep(pause)

    async def _ask(self, method: str, place: str, body: object, wait: float, token: str) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        data = None if body is None and method == "GET" else json.dumps(body if body is not None else {})
        try:
            answer = await self._made().send(method, place, data, headers, None, self._timeout + wait)
            async with answer:
                words = await answer.json(content_type=None)
                return answer.status, words if isinstance(words, dict | list) else {}
        except (aiohttp.ClientSSLError, ssl.SSLError) as error:
            raise TemporaryFailure(f"{self.account.homeserver} is not trusted: mend ca_file in [matrix]") from error
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise TemporaryFailure(f"{self.account.homeserver} cannot be reached") from error

    def _made(self) -> AsyncClient:
        if self._client is None:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            ca_file = self.account.ca_file
            try:
                trust = ssl.create_default_context(cafile=str(ca_file)) if ca_file else None
            except OSError as error:
                raise TemporaryFailure("the ca_file of [matrix] cannot be read") from error
            # store_sync_tokens would keep a token before anything that it brought is dealt with.
            config = AsyncClientConfig(
                encryption_enabled=self.encrypted, store_sync_tokens=False, max_timeouts=1, max_limit_exceeded=3
            )
            self._client = AsyncClient(
                self.account.homeserver, self.account.user, store_path=str(self.folder), config=config, ssl=trust
            )
        return self._client

    def _known(self) -> dict[str, str] | None:
        """Read as which device we were logged in, if that was for this account."""
        with suppress(OSError, ValueError, AttributeError):
            known = json.loads((self.folder / DEVICE).read_text(encoding="utf-8"))
            same = (known["homeserver"], known["user"]) == (self.account.homeserver, self.account.user)
            # A token in the config wins over one of before: that is how a revoked one is mended.
            if same and known["access_token"] and self.account.token in ("", known["access_token"]):
                return {name: str(value) for name, value in known.items()}
        return None

    async def _by_token(self) -> dict[str, str]:
        place = f"{ROOT}/account/whoami"
        status, answer = await self._asked("GET", place, None, 0.0, self.account.token)
        if status == 401:
            raise Revoked("the homeserver does not take the token of [matrix]: write a new one there")
        found = _judged(status, answer)
        return self._noted(str(found["user_id"]), str(found.get("device_id", "")), self.account.token)

    async def _by_password(self, device_id: str = "") -> dict[str, str]:
        body = {
            "type": "m.login.password",
            "identifier": {"type": "m.id.user", "user": self.account.user},
            "password": self.account.password,
            "initial_device_display_name": self.account.device_name,
            **({"device_id": device_id} if device_id else {}),
        }
        status, answer = await self._asked("POST", f"{ROOT}/login", body, 0.0, "")
        if status in (400, 401, 403):
            raise Revoked("the homeserver does not take user and password of [matrix]")
        found = _judged(status, answer)
        return self._noted(str(found["user_id"]), str(found["device_id"]), str(found["access_token"]))

    def _noted(self, user_id: str, device_id: str, token: str) -> dict[str, str]:
        known = {
            "homeserver": self.account.homeserver, "user": self.account.user,
            "user_id": user_id, "device_id": device_id, "access_token": token,
        }  # fmt: skip
        keep(self.folder / DEVICE, known)
        return known

    def _be(self, known: dict[str, str]) -> None:
        client = self._made()
        if self.encrypted:
            client.restore_login(known["user_id"], known["device_id"], known["access_token"])
        else:
            client.user_id, client.device_id = known["user_id"], known["device_id"]
            client.access_token = known["access_token"]
        self.user_id = known["user_id"]

    async def _renew(self, token: str, *, soft: bool) -> None:
        """Log in again as the same device, where the server lets it; another request may have done so meanwhile.

        Raises: Revoked.
        """
        async with self._entering:
            if self.client.access_token != token:
                return
            if not soft or not self.account.password:
                raise Revoked(
                    "the homeserver takes our login no more (it was revoked); if that was not meant as an end, remove "
                    f"{self.folder / DEVICE}, and where [matrix] has a token write a new one"
                )
            known = await self._by_password(self.client.device_id)
            self.client.access_token = known["access_token"]
            log.info("the login at the homeserver was renewed")


def keep(path: Path, value: object) -> None:
    """Write a file for its owner alone, whole or not at all.

    Raises: TemporaryFailure.
    """
    written = path.with_name(f"{path.name}.new")
    try:
        with open(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(written, path)
    except OSError as error:
        raise TemporaryFailure(f"{path} cannot be written: {error.strerror}") from error


def _judged(status: int, answer: Any) -> Any:
    """Give what the server answered.

    Raises: TemporaryFailure, Refused.
    """
    if status == 200:
        return answer
    told = answer if isinstance(answer, dict) else {}
    words = " ".join(str(told.get("error", "")).split())[:200]
    if status >= 500:
        raise TemporaryFailure(f"the homeserver has trouble of its own ({status}): {words}")
    raise Refused(str(told.get("errcode", status)), words, str(told.get("session", "")))
