"""The docs name what is there: every library, every command, every page and setting."""

import re
import tomllib
from pathlib import Path
from textwrap import indent

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from pbem.cli.app import app
from pbem.config import Config

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_library_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs/decisions/0001-libraries.md").read_text()
    wanted = {re.split(r"[<>=\[; ]", line)[0] for line in project["dependencies"]}
    assert set(re.findall(r"^\| ([a-z0-9-]+) \|", page, re.M)) == wanted


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_in_the_docs_is_one(page: Path) -> None:
    text = re.sub(r"^```sh\n(.*?)^```", lambda block: indent(block[1], "    "), page.read_text(), flags=re.M | re.S)
    for words in re.findall(r"(?:^ {4}|`|bin/)pbem (?:--config \S+ )?((?:[a-z][a-z-]* ?)+)", text, re.M):
        command: object = get_command(app)
        for word in words.split():
            if not isinstance(command, TyperGroup):
                break
            assert word in command.commands, words
            command = command.commands[word]


def test_make_demo_and_make_test_come_first() -> None:
    shown = re.findall(r"(?:^ {4}.*\n)+", (ROOT / "README.md").read_text(), re.M)
    assert shown[0] == "    make demo\n    make test\n"


def test_the_example_config_is_the_default() -> None:
    example = tomllib.loads((ROOT / "config.example.toml").read_text())
    assert Config(**example) == Config()
