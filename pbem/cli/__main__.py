"""Let `python -m pbem.cli` be `pbem`."""

from pbem.cli import main

if __name__ == "__main__":
    main()
