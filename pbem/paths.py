"""Tell where templates, migrations and the example config lie, in a wheel and in a checkout."""

from importlib.resources import files
from pathlib import Path


def bundled(name: str) -> Path:
    """Find what ships with the package: `templates`, `migrations`, `config.example.toml`.

    Raises: FileNotFoundError, naming both places that were looked at.
    """
    package = Path(str(files("pbem")))
    for place in (package / name, package.parent / name):
        if place.exists():
            return place
    raise FileNotFoundError(f"{name} is neither in {package} nor beside it: the installation is incomplete")
