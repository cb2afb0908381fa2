"""Read a guide as an operator does: its blocks in their order, a shell to type into, a config to edit."""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 120


@dataclass(frozen=True)
class Block:
    """Be one fenced block of a page: `kind` stands behind its fence, `line` is where it begins."""

    section: str
    kind: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    """Give the blocks of a page in their order; one that is indented instead of fenced would be overlooked."""
    found, section, fence, inside = [], "", 0, list[str]()
    kind = ""
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("```") and not fence:
            kind, fence, inside = line[3:], number, []
        elif line.startswith("```"):
            found.append(Block(section, kind, "".join(inside), fence))
            fence = 0
        elif fence:
            inside.append(f"{line}\n")
        else:
            assert not line.startswith("    "), f"line {number}: fence this block"
            section = line[3:] if line.startswith("## ") else section
    assert not fence, f"line {fence}: this block never ends"
    return found


def agrees(shown: str, printed: str) -> bool:
    """Tell whether a page shows what was printed: `...` stands for anything in its line, or for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n"
        for line in shown.splitlines()
    )
    return re.fullmatch(pattern, printed) is not None


def is_failure(shown: str) -> bool:
    """Tell whether a page shows a command that complains."""
    return any(line.startswith(("wrong ", "pbem: ")) for line in shown.splitlines())


def edited(config: str, block: str) -> str:
    """Set in a config what a block says, each where it stands already or stands as a remark."""
    section = ""
    for line in filter(None, block.splitlines()):
        if line.startswith("["):
            section = line
            config, count = re.subn(rf"^(?:# )?{re.escape(section)}$", section, config, flags=re.M)
            assert count == 1, f"the config has no {section}"
            continue
        head, begin, rest = config.partition(f"{section}\n")
        end = re.search(r"^(?:# )?\[", rest, re.M)
        body, tail = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
        key = re.escape(line.partition(" = ")[0])
        body, count = re.subn(rf"^(?:# )?{key} += .*$", line.replace("\\", r"\\"), body, flags=re.M)
        assert count == 1, f"{section} has no place for {line}"
        config = head + begin + body + tail
    return config


@dataclass
class Shell:
    """Be one shell: folder and variables last from line to line, though a bash of its own runs each."""

    notes: Path
    folder: Path
    variables: dict[str, str]
    typed: list[str] = field(default_factory=list)

    def type(self, line: str, given: str = "", **also: str) -> tuple[int, str]:
        """Type a line, and what its command reads; give its exit code and what it printed."""
        self.typed.append(line)
        script = f"""trap 'env -0 > "$0/env"; pwd > "$0/pwd"' EXIT\n{line}\n"""
        ran = subprocess.run(
            ["bash", "-c", script, str(self.notes)], cwd=self.folder, env=self.variables | also, input=given, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False,
        )  # fmt: skip
        kept = (self.notes / "env").read_text().split("\0")
        before = {name: value for name, value in self.variables.items() if name in also}
        now = dict(one.split("=", 1) for one in kept if one)
        self.variables = {name: value for name, value in now.items() if name not in also} | before
        self.folder = Path((self.notes / "pwd").read_text().rstrip("\n"))
        return ran.returncode, ran.stdout
