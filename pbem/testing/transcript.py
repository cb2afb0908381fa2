"""Write random games of one game down: `python -m pbem.testing.transcript GAME COUNT [OPTION=VALUE ...]`."""

import sys

from pbem.testing.checks.module import transcript
from pbem.testing.kit import Kit

if __name__ == "__main__":
    game, count, *options = sys.argv[1:]
    chosen = dict(option.split("=", 1) for option in options)
    for line in transcript(Kit(game, options=(chosen,), games=int(count))):
        print(line)
