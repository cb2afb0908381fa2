"""Tell each story anew: every quarrel is settled as its file says. PBEM_REGOLD=1 writes the files anew."""

import os
from pathlib import Path

import pytest

from tests.stories.teller import Teller
from tests.stories.town import founded

STORIES = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("file", STORIES, ids=lambda file: file.stem)
def test_story(file: Path, tmp_path: Path, quiet_logs: None) -> None:
    with founded(tmp_path / "house", file.stem) as town:
        told = Teller(town).tell(file.read_text(encoding="utf-8"))
    if "PBEM_REGOLD" in os.environ:
        file.write_text(told, encoding="utf-8")
    assert file.read_text(encoding="utf-8").splitlines() == told.splitlines()
