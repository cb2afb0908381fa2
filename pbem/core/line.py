"""Tell which entries of a log are in force: steps that were taken back stand in it, but the game went on without them.

An entry `restore` puts the game back to how it stood after an earlier entry, which may be before an earlier `restore`.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Node:
    """Be an entry that says how the game stands: the deal, a step, or a restore; `before` is the one in force then."""

    number: int
    kind: str
    body: dict[str, Any]
    before: "Node | None" = None

    @property
    def step(self) -> int | None:
        """Give the number of the step, if it is one: 0 for the deal."""
        return 0 if self.kind == "deal" else self.body["step"] if self.kind == "step" else None


@dataclass
class Line:
    """Follow a log: `heads` gives, for each entry, the node in force after it; `steps` are all that were ever made."""

    heads: dict[int, Node] = field(default_factory=dict)
    steps: set[int] = field(default_factory=set)
    head: Node | None = None

    def add(self, number: int, kind: str, body: str) -> None:
        """Go on by one entry."""
        if kind == "step":
            self.steps.add(number)
        if kind in ("deal", "step"):
            self.head = Node(number, kind, json.loads(body), self.head)
        elif kind == "restore":
            told = json.loads(body)
            self.head = Node(number, kind, told, self.heads[told["entry"]])
        if self.head is not None:
            self.heads[number] = self.head

    def nodes(self) -> tuple[Node, ...]:
        """Give what is in force, from the deal on."""
        nodes: list[Node] = []
        node = self.head
        while node is not None:
            nodes.append(node)
            node = node.before
        return tuple(reversed(nodes))

    def taken_back(self) -> frozenset[int]:
        """Give the entries of the steps that are not in force."""
        return frozenset(self.steps - {node.number for node in self.nodes()})

    def standing_after(self, step: int) -> Node | None:
        """Find the last node that says how the game stood after a step in force, before the next step."""
        found: Node | None = None
        for node in self.nodes():
            if node.step == step or (found is not None and node.step is None):
                found = node
            elif found is not None:
                break
        return found


def follow(entries: Iterable[tuple[int, str, str]]) -> Line:
    """Follow a whole log: number, kind and body of each entry."""
    line = Line()
    for number, kind, body in entries:
        line.add(number, kind, body)
    return line
