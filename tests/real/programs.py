"""Let real mail programs answer the newest letter in a mailbox, over IMAP and SMTP, without a person."""

import email.policy
import html
import os
import re
import smtplib
import subprocess
import tempfile
import textwrap
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from pathlib import Path

import inscriptis

from pbem.testing.stage import html_of
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
    """Send what Thunderbird 153 sends: both parts, the text flowed, each line of the words a paragraph of its own."""
    letter = user.mails()[-1]
    mail = EmailMessage(policy=email.policy.SMTP)
    mail["Message-ID"], mail["Date"] = make_msgid(domain=user.server.domain), localtime()
    mail["User-Agent"] = "Mozilla Thunderbird"
    mail["Subject"] = f"Re: {letter['Subject']}"
    mail["To"], mail["From"] = str(letter["Reply-To"]), f"Carol <{user.address}>"
    mail["References"] = f"{letter['References'] or ''} {letter['Message-ID']}".strip()
    mail["In-Reply-To"] = str(letter["Message-ID"])
    prefix = f"On {letter['Date'].datetime:%-m/%-d/%y %-I:%M %p}, PBEM judge wrote:"
    mail.set_content(_flowed(words, prefix, html_of(letter)), cte="8bit")
    mail.set_param("format", "flowed")
    mail.add_alternative(_html(words, prefix, letter), subtype="html", cte="8bit")
    with smtplib.SMTP("127.0.0.1", user.server.port("SMTP"), timeout=TIME) as line:
        line.send_message(mail, user.address)


def _flowed(words: str, prefix: str, quoted: str) -> str:
    """Write the text part: the quote is the letter's HTML part made text, its lines broken anew with a soft end."""
    rows = ["\n\n".join(words.split("\n")), "", prefix, ">"]
    for block in re.split(r"\n\s*\n", inscriptis.get_text(quoted)):
        lines = textwrap.wrap(" ".join(block.split()), 70) or [""]
        rows += [f"> {line} " for line in lines[:-1]] + [f"> {lines[-1]}".rstrip(), ">"]
    return "\n".join(rows) + "\n"


def _html(words: str, prefix: str, letter: EmailMessage) -> str:
    paragraphs = "".join(f"    <p>{html.escape(line) or '<br>'}</p>\n" for line in words.split("\n"))
    inner = re.sub(r"(?is)^.*<body[^>]*>|</body>.*$", "", html_of(letter))
    return f"""<!DOCTYPE html>
<html>
  <head>
    <meta http-equiv="Content-Type" content="text/html; charset=UTF-8">
  </head>
  <body>
{paragraphs}    <div class="moz-cite-prefix">{prefix}<br>
    </div>
    <blockquote type="cite" cite="mid:{str(letter["Message-ID"]).strip("<>")}">
      <meta http-equiv="content-type" content="text/html; charset=UTF-8">
{inner}
    </blockquote>
  </body>
</html>
"""
