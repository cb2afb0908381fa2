"""Give tests the real servers: started once by each worker, and stopped when it ends."""

import os
from collections.abc import Iterator

import pytest

from tests.real import synapse
from tests.real.servers import MailServer, User, run, started
from tests.real.synapse import MatrixServer

PROGRAMS = ("postfix", "dovecot", "openssl", "flock")


def need_servers() -> None:
    """Skip by name where the servers cannot run; where PBEM_CI is set that is a failure."""
    from tests.conftest import lack, need

    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for program in PROGRAMS:
        need(program)
    if os.geteuid() != 0:
        lack("Postfix is started by root only")


@pytest.fixture(scope="session")
def mail_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailServer]:
    """Give a real Postfix with a real Dovecot."""
    need_servers()
    folder = tmp_path_factory.mktemp("mail-server")
    try:
        yield started(folder)
    finally:
        run("purge", folder)


@pytest.fixture
def office(mail_server: MailServer) -> User:
    """Give a new mailbox for the office."""
    return mail_server.user()


@pytest.fixture
def alice(mail_server: MailServer) -> User:
    """Give a new mailbox for a player."""
    return mail_server.user()


@pytest.fixture(scope="session")
def matrix_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MatrixServer]:
    """Give a real Synapse; it lies in an environment of its own, `.synapse`, or on the PATH."""
    from tests.conftest import need

    os.environ["PATH"] += f":{synapse.INSTALLED}"
    for program in ("synapse_homeserver", "flock", "setsid"):
        need(program)
    with synapse.serving(tmp_path_factory.mktemp("synapse")) as server:
        yield server
