"""Let a real Thunderbird without a screen answer the newest letter in a mailbox, in HTML.

Source: Firefox source docs, Marionette protocol: `length:[0, id, command, parameters]` over TCP.
"""

import json
import os
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.real.servers import User, until

START, SCRIPT_TIME, STARTS = 120.0, 25_000, 4

PREFS = """
mail.accountmanager.accounts "account1,account2"
mail.accountmanager.defaultaccount "account1"
mail.accountmanager.localfoldersserver "server2"
mail.account.account1.identities "id1"
mail.account.account1.server "server1"
mail.account.account2.server "server2"
mail.server.server1.type "imap"
mail.server.server1.hostname "127.0.0.1"
mail.server.server1.port {imap}
mail.server.server1.userName "{user}"
mail.server.server1.socketType 0
mail.server.server1.authMethod 3
mail.server.server1.login_at_startup false
mail.server.server2.type "none"
mail.server.server2.hostname "Local Folders"
mail.server.server2.userName "nobody"
mail.identity.id1.fullName "{name}"
mail.identity.id1.useremail "{user}"
mail.identity.id1.smtpServer "smtp1"
mail.identity.id1.valid true
mail.identity.id1.fcc false
mail.identity.id1.reply_on_top 1
mail.default_send_format 3
mail.smtpservers "smtp1"
mail.smtp.defaultserver "smtp1"
mail.smtpserver.smtp1.hostname "127.0.0.1"
mail.smtpserver.smtp1.port {smtp}
mail.smtpserver.smtp1.authMethod 1
mail.smtpserver.smtp1.try_ssl 0
mail.provider.suppress_dialog_on_startup true
mail.shell.checkDefaultClient false
mailnews.start_page.enabled false
mailnews.start_page_override.mstone "ignore"
mail.rights.version 1
app.donation.eoy.version.viewed 999
app.update.enabled false
datareporting.policy.dataSubmissionPolicyBypassNotification true
marionette.port {marionette}
network.proxy.type 1
network.proxy.http "127.0.0.1"
network.proxy.http_port 9
network.proxy.ssl "127.0.0.1"
network.proxy.ssl_port 9
"""
"""It reads and sends in the clear on this machine, so that no certificate has to be accepted; its own requests
(updates, block lists) go to a proxy that is not there."""

REPLY = """
const [password, text, wanted, resolve] = arguments;
const { MailServices } = ChromeUtils.importESModule("resource:///modules/MailServices.sys.mjs");
const until = async test => {
  for (let i = 0; i < 300; i++) {
    const value = test();
    if (value) return value;
    await new Promise(next => setTimeout(next, 50));
  }
  throw new Error("waited too long for " + test);
};
(async () => {
  await until(() => {                                        // its first window, and what is in it, come late
    const pane = Services.wm.getMostRecentWindow("mail:3pane")?.document.getElementById("tabmail")?.currentAbout3Pane;
    return pane?.document.readyState === "complete" && pane.folderTree?.rowCount;
  });
  const account = await until(() => MailServices.accounts.accounts[0]);
  account.incomingServer.password = password;
  const root = account.incomingServer.rootFolder;
  account.incomingServer.performExpand(null);
  const inbox = await until(() => root.getFolderWithFlags(Ci.nsMsgFolderFlags.Inbox));
  let looks = 0;
  const message = await until(() => {
    if (looks++ % 40 === 0) inbox.updateFolder(null);       // one that comes too early is passed over
    return [...inbox.messages].find(one => `<${one.messageId}>` === wanted);
  });
  const ready = new Promise(resolve => Services.obs.addObserver(function opened(win) {
    Services.obs.removeObserver(opened, "domwindowopened");
    win.addEventListener("compose-editor-ready", () => resolve(win), { once: true });
  }, "domwindowopened"));
  MailServices.compose.OpenComposeWindow(null, message, inbox.getUriForMsg(message),
    Ci.nsIMsgCompType.ReplyToSender, Ci.nsIMsgCompFormat.HTML, account.defaultIdentity, null, null);
  const win = await ready;
  const editor = win.GetCurrentEditor();
  await until(() => editor.document.querySelector("blockquote"));
  editor.beginningOfDocument();
  text.split("\\n").forEach((line, i) => {
    if (i) editor.insertLineBreak();
    if (line) editor.insertText(line);
  });
  const sent = new Promise((done, failed) => {
    win.addEventListener("aftersend", () => done("sent"), { once: true });
    win.setTimeout(() => failed(new Error("not sent")), 15000);
  });
  win.goDoCommand("cmd_sendNow");
  return sent;
})().then(resolve, error => resolve(String(error)));
"""


class Unfinished(Exception):
    """Say that the program did not do what it was told to."""


class Remote:
    """Speak to a program's Marionette port."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._reader = line.makefile("rb")
        self._read()  # it says what it is

    def ask(self, command: str, **given: Any) -> Any:
        """Give a command, and its result."""
        words = json.dumps([0, 1, command, given]).encode()
        self._line.sendall(b"%d:%s" % (len(words), words))
        _, _, error, result = self._read()
        if error is not None:
            raise Unfinished(str(error)[:500])
        return result

    def close(self) -> None:
        """Hang up."""
        self._reader.close()
        self._line.close()

    def _read(self) -> Any:
        length = b""
        while (sign := self._reader.read(1)) not in (b":", b""):
            length += sign
        return json.loads(self._reader.read(int(length)))


def answer_with_thunderbird(user: User, words: str) -> None:
    """Answer in HTML, the words above the quote; one whose first window fails on a cold start is started again."""
    for _ in range(STARTS - 1):
        with suppress(Unfinished):
            return _answer(user, words)
    return _answer(user, words)


def _answer(user: User, words: str) -> None:
    port = _free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        _write_profile(Path(home), user, port)
        program = subprocess.Popen(
            ["thunderbird", "--headless", "--marionette", "-remote-allow-system-access", "--no-remote",
             "--profile", f"{home}/profile"],
            env={**os.environ, "HOME": home, "MOZ_HEADLESS": "1"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            _reply(port, user, words)
        finally:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()


def _reply(port: int, user: User, words: str) -> None:
    remote = Remote(until(lambda: _call(port), "Thunderbird", START))
    try:
        remote.ask("WebDriver:NewSession")
        remote.ask("Marionette:SetContext", value="chrome")
        remote.ask("WebDriver:SetTimeouts", script=SCRIPT_TIME)
        script = {
            "script": REPLY,
            "args": [user.password, words, user.mails()[-1]["Message-ID"]],
            "newSandbox": True,
            "sandbox": "system",
        }
        answer = remote.ask("WebDriver:ExecuteAsyncScript", **script)["value"]
        if answer != "sent":
            raise Unfinished(answer)
    finally:
        remote.close()


def _call(port: int) -> socket.socket | None:
    try:
        return socket.create_connection(("127.0.0.1", port), timeout=START)
    except OSError:
        return None


def _write_profile(home: Path, user: User, marionette: int) -> None:
    (home / "profile").mkdir()
    ports = {"imap": user.server.port("IMAP"), "smtp": user.server.port("SMTP"), "marionette": marionette}
    prefs = PREFS.format(user=user.address, name=user.name.capitalize(), **ports)
    lines = (line.partition(" ") for line in prefs.strip().splitlines())
    (home / "profile" / "user.js").write_text("".join(f'user_pref("{key}",{value});\n' for key, _, value in lines))


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
