"""Be the operator's command line: each command parses, calls one service, and prints.

What a command needs is imported inside it, so that `pbem --help` answers at once.
"""

import sys


def main() -> None:
    """Run `pbem` and exit."""
    from pbem.cli.front import run

    sys.exit(run(sys.argv[1:]))
