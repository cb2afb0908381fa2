"""Let real mail programs answer the newest letter in a mailbox, over IMAP and SMTP, without a person."""

import os
import subprocess
import tempfile
from pathlib import Path

from tests.real.servers import User

TIME = 60


def answer_with_mutt(user: User, words: str, *, below: bool = False) -> None:
    """Answer with mutt, the words above the quote (or below it)."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        parts = '"$1" "$HOME/words"' if below else '"$HOME/words" "$1"'
        write(home / "words", words + "\n")
        write(home / "editor", f'#!/bin/sh\ncat {parts} >"$1.new" && mv "$1.new" "$1"\n')
        write(home / "certificates", "")
        port, account = user.server.port, user.address.replace("@", "%40")
        write(
            home / "rc",
            f"""set from="{user.address}" use_from=yes sort=mailbox-order
set folder="imaps://{account}@localhost:{port("IMAPS")}/" spoolfile="+INBOX"
set imap_user="{user.address}" imap_pass="{user.password}"
set smtp_url="smtp://{account}@localhost:{port("SUBMISSION")}/" smtp_pass="{user.password}"
set ssl_starttls=yes ssl_force_tls=yes
set ssl_ca_certificates_file="{user.server.ca_file}" certificate_file="{home}/certificates"
set editor="{home}/editor" include=yes fast_reply=yes autoedit=no recall=no reply_to=yes
set abort_unmodified=no copy=no quit=yes wait_key=no sleep_time=0
""",
        )
        keys = "<last-entry><reply>y<quit>"
        run(["script", "-qefc", f"mutt -n -F {home}/rc -e 'push \"{keys}\"'", "/dev/null"], home)


def answer_with_s_nail(user: User, words: str) -> None:
    """Answer with s-nail, the quote above and the words below, with no line between."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        account, port = f"{user.address.replace('@', '%40')}:{user.password}@localhost", user.server.port
        write(
            home / "rc",
            f"""set v15-compat
set from={user.address} hostname=localhost quote indentprefix='> ' sendwait nosave nohold
set tls-ca-no-defaults tls-ca-file={user.server.ca_file} tls-verify=strict
set smtp-use-starttls smtp-auth=plain mta=smtp://{account}:{port("SUBMISSION")}
""",
        )
        box = f"imaps://{account}:{port('IMAPS')}/INBOX"
        command = ["sh", "-c", f"printf '%s' \"$TYPED\" | s-nail -# -~ -:u -f '{box}'"]
        run(command, home, MAILRC=str(home / "rc"), TYPED=f"reply $\n{words}\n~.\nxit\n")


def write(path: Path, text: str) -> None:
    """Write a file that only its owner may read and run."""
    path.write_text(text)
    path.chmod(0o700)


def run(command: list[str], home: Path, **more: str) -> None:
    """Run a program with a home of its own; it must end by itself."""
    environment = {**os.environ, "HOME": str(home), "TERM": "xterm", **more}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME, env=environment, cwd=home, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")[-2000:]


def answer_like_thunderbird(user: User, words: str) -> None:
    raise NotImplementedError
