"""docs/cli.md says what `--help` says."""

from pathlib import Path

from tests.cli.reference import reference

PAGE = Path(__file__).parent.parent.parent / "docs" / "cli.md"


def test_the_page_is_made_from_the_help() -> None:
    assert PAGE.read_text() == reference(), "run `make docs`"


def test_every_command_has_a_sentence_of_help() -> None:
    for part in reference().split("\n## ")[1:]:
        usage, _, help = part.partition("Usage: ")[2].partition("\n\n")
        assert help.strip()[0].isupper(), usage
