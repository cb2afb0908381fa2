"""The wheel, installed where there is no checkout, is a whole pbem."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PATIENCE = 300


def run(*command: object, cwd: Path) -> str:
    """Run a command that must work, away from the checkout, and give what it printed."""
    ran = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), "LANG": "C.UTF-8"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, with what is installed here and no network."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT, cwd=folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install it into an environment of its own, which sees the libraries of this one but not this checkout."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check", "install")
    run(*pip, "--no-deps", "--no-index", wheel, cwd=folder)
    (site,) = folder.glob("lib/python*/site-packages")
    # What a .pth names is a plain folder: the editable install's own .pth in it is not followed.
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_everything_is_in_it(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = {"pbem/config.example.toml", "engines/__init__.py", "engines/blame/__init__.py", "pbem/py.typed"}
    for folder in ("templates", "migrations"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        wanted |= {f"pbem/{path.relative_to(ROOT)}" for path in files}
    data = [path for path in (ROOT / "engines").rglob("*") if path.suffix in (".toml", ".md")]
    assert data
    assert not (wanted | {str(path.relative_to(ROOT)) for path in data}) - held
    assert not [name for name in held if name.startswith(("tests/", "bench/")) or name.endswith(".pyc")]


def test_it_runs_where_there_is_no_checkout(installed: Path, tmp_path: Path) -> None:
    pbem = installed / "bin" / "pbem"
    where = run(
        installed / "bin" / "python", "-c", "import pbem, engines; print(pbem.__file__, engines.__file__)", cwd=tmp_path
    )
    assert all(place.startswith(str(installed)) for place in where.split())
    assert run(pbem, "--version", cwd=tmp_path).startswith("pbem ")
    run(pbem, "init", "house", cwd=tmp_path)
    said = run(pbem, "doctor", cwd=tmp_path / "house")
    assert "wrong" not in said
    assert str(installed) in said
    assert str(ROOT) not in said


def test_a_game_is_played_with_it(installed: Path, tmp_path: Path) -> None:
    pbem = installed / "bin" / "pbem"
    run(pbem, "init", cwd=tmp_path)
    for name in ("alice", "bob"):
        run(pbem, "admin", "add-player", name, "--email", f"{name}@example.org", cwd=tmp_path)
    run(pbem, "admin", "new-game", "blame", "--players", "alice,bob", cwd=tmp_path)
    assert "sent 2 letters" in run(pbem, "poll", cwd=tmp_path)
    assert "alice" in run(pbem, "admin", "show", "blame-1", cwd=tmp_path)
    letters = [path.read_text() for path in (tmp_path / "mail/out/new").iterdir()]
    assert any("YOUR HAND" in letter for letter in letters)
