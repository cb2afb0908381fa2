"""Tell a story: do what each of its sentences says in a real house, and write down what comes of it."""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from email.message import EmailMessage

from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.testing.stage import html_of, text_of
from tests.stories.excerpts import body, excerpt
from tests.stories.script import GOT, TYPED, WRITTEN, Deed, read
from tests.stories.town import Town

Told = Iterator[str]
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
UNITS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}


class Teller:
    """Hold the town, and the letters that were shown last."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.shown: Sequence[EmailMessage] = ()
        self.people: list[str] = []

    def tell(self, text: str) -> str:
        """Give a story anew, as it goes in the house now."""
        told = [line for one in read(text) for line in ([one] if isinstance(one, str) else self._do(one))]
        left = [who for who in self.people if self.town.unread(who)]
        assert not left, f"{named(left)} got letters that the story says nothing of"
        return "\n".join(told) + "\n"

    def _do(self, deed: Deed) -> list[str]:
        for pattern, act in SENTENCES:
            if found := re.fullmatch(pattern, deed.sentence):
                try:
                    return list(act(self, deed, **{key: value or "" for key, value in found.groupdict().items()}))
                except AssertionError as error:
                    raise AssertionError(f"line {deed.line}: {deed.sentence}\n{error}") from error
        raise AssertionError(f"line {deed.line}: nobody knows how to do this: {deed.sentence}")

    def register(self, deed: Deed, players: str, moderators: str) -> Told:
        """Register players at addresses of their own, and name moderators."""
        self.town.settle(names(players), names(moderators))
        self.people += [who for who in names(f"{players} and {moderators}") if who not in self.people]
        yield deed.sentence

    def type(self, deed: Deed, who: str, refused: str, part: str) -> Told:
        """Let somebody type commands; each must go well, or be refused."""
        yield deed.sentence
        for typed in deed.typed:
            yield f"{TYPED}{typed}"
            pbem, *words = shlex.split(typed.replace("\\\n", " "))
            assert pbem == "pbem", f"{pbem} is no command that is typed here"
            ran = self.town.type(who, *words)
            assert bool(ran.code) == bool(refused), f"{typed}: {ran.out}{ran.err}"
            yield from quoted(excerpt(ran.out + ran.err, part))

    def write(self, deed: Deed, who: str, to: str, address: str, date: str, fate: str) -> Told:
        """Let somebody answer a letter, and the answer arrive: at once, twice, later or never."""
        letter = None if to == " to the office" else self.town.newest(who, to.removeprefix(' to "').rstrip('"'))
        raw = self.town.write(who, deed.words, letter, address, date)
        if fate.startswith("takes "):
            self.town.on_the_way.append((self.town.stage.now + span(fate.removeprefix("takes ")), raw))
        elif fate != "is lost":
            self.town.arrive(*[raw] * (2 if fate == "arrives twice" else 1))
        yield deed.sentence
        yield from (f"{WRITTEN}{line}".rstrip() for line in deed.written)

    def arrive_again(self, deed: Deed, who: str) -> Told:
        """Let the last letter of somebody arrive once more."""
        self.town.arrive(self.town.sent[who])
        yield deed.sentence

    def get(self, deed: Deed, who: str, part: str) -> Told:
        """Let people read the next letter that each got; what is shown of it must be the same for all of them."""
        self.shown = [self.town.take(name) for name in names(who)]
        subjects = {str(mail["Subject"]) for mail in self.shown}
        parts = (
            [excerpt(body(text_of(mail)), part.strip()) for mail in self.shown] if deed.sentence.endswith(":") else [[]]
        )
        assert len(subjects) == 1, f"they got different letters: {subjects}"
        assert all(one == parts[0] for one in parts), f"what they got differs: {parts}"
        yield re.sub('".*?"', lambda _: f'"{subjects.pop()}"', deed.sentence, count=1)
        yield from quoted(parts[0])

    def get_nothing(self, deed: Deed, who: str) -> Told:
        """Make sure that people got nothing that they have not read."""
        for name in names(who):
            assert not (found := self.town.unread(name)), f"{name} got: " + text_of(found[0])
        yield deed.sentence

    def skim(self, deed: Deed, who: str, count: str) -> Told:
        """Let people read so many letters of which nothing is told."""
        for name in names(who):
            for _ in range(number(count.removesuffix("s").removesuffix(" letter"))):
                self.town.take(name)
        yield deed.sentence

    def skim_all(self, deed: Deed) -> Told:
        """Let everybody read all that came."""
        for name in self.people:
            while self.town.unread(name):
                self.town.take(name)
        yield deed.sentence

    def say_nothing(self, deed: Deed, words: str) -> Told:
        """Make sure that some words stand nowhere in the letters shown last."""
        for word in re.findall('"(.+?)"', words):
            for mail in self.shown:
                assert word not in f"{mail['Subject']}\n{text_of(mail)}\n{html_of(mail)}", word
        yield deed.sentence

    def lose(self, deed: Deed, who: str) -> Told:
        """Let the newest letter to somebody never arrive, nobody knowing."""
        self.town.lost.add(str(self.town.last_sent(who)["Message-ID"]))
        yield deed.sentence

    def bounce(self, deed: Deed, who: str) -> Told:
        """Let the newest letter to somebody come back."""
        self.town.send_back(self.town.last_sent(who))
        self.town.pass_over()
        yield deed.sentence

    def fill(self, deed: Deed, address: str, how: str) -> Told:
        """Let a mailbox be full from now on, or take letters again."""
        (self.town.full.add if how == "is full" else self.town.full.discard)(address)
        self.town.pass_over()
        yield deed.sentence

    def forge(self, deed: Deed, old: str, new: str, file: str) -> Told:
        """Let somebody change a file."""
        path = self.town.console.folder / file
        text = path.read_text()
        assert old in text, f"{old} does not stand in {file}"
        path.write_text(text.replace(old, new, 1))
        yield deed.sentence

    def save(self, deed: Deed, who: str, what: str, file: str) -> Told:
        """Let somebody save a letter, or the file in it, where commands are typed."""
        letter = self.town.newest(who, what.removeprefix("letter that says ").strip('"') if '"' in what else "")
        kept = self.town.sent[who] if what == "letter sent last" else letter.as_bytes()
        if what == "file got last":
            (part,) = letter.iter_attachments()
            kept = part.get_content()
        (self.town.console.folder / file).write_bytes(kept)
        yield deed.sentence

    def wait(self, deed: Deed, time: str) -> Told:
        """Let time pass, and say what time it is then."""
        self.town.wait(span(time[0].lower() + time[1:]))
        now, goes_by = self.town.stage.now, "passes" if re.match("An? |One ", time) else "pass"
        yield f"{time} {goes_by}. It is {now:%a} {now.day} {now:%B}, {now:%H:%M}."

    def shut(self, deed: Deed, how: str) -> Told:
        """Shut the office, or open it again, so that it reads what came meanwhile."""
        self.town.is_open = how == "opens"
        self.town.pass_over()
        yield deed.sentence

    def play_on(self, deed: Deed, game: str) -> Told:
        """Let the players answer whatever they are asked until the game is over."""
        dice = Dice(rehearsal_seed("playing on"))
        self.skim_all(deed)
        while (sitting := self.town.stage.sitting(game)).is_open:
            for seat in sitting.prompts:
                words = sitting.engine.sample(sitting.table.view(seat), dice)
                raw = self.town.write(sitting.names[seat], words, self.town.newest(sitting.names[seat]))
                self.town.arrive(raw)
                list(self.skim_all(deed))
        yield deed.sentence


def names(text: str) -> list[str]:
    """Read names: `Alice, Bob and Carol`."""
    return re.split(", | and ", text)


def named(people: Sequence[str]) -> str:
    """Write names."""
    return ", ".join(people)


def number(word: str) -> int:
    """Read a number in words or digits."""
    return int(word) if word.isdigit() else 1 if word in ("a", "an") else NUMBERS.index(word)


def span(text: str) -> timedelta:
    """Read a time: `two days and an hour`."""
    return sum((number(one.split()[0]) * UNITS[one.split()[1].rstrip("s")] for one in text.split(" and ")), timedelta())


def quoted(lines: Sequence[str]) -> Told:
    """Set off what somebody got."""
    return (f"{GOT}{line}".rstrip() for line in lines)


WHO = r"(?P<who>[A-Z]\w+(?:(?:, [A-Z]\w+)* and [A-Z]\w+)?)"
SENTENCES: tuple[tuple[str, Callable[..., Told]], ...] = (
    (r"Registered are (?P<players>.+); (?P<moderators>.+) moderates?\.", Teller.register),
    (r"(?P<who>The host|\w+) types(?P<refused>, and is refused)?(?:, and reads (?P<part>.+))?:", Teller.type),
    (
        rf'{WHO} writes(?P<to> to ".+?"| to the office)?(?: from (?P<address>\S+@\S+))?(?:, dated "(?P<date>.+?)")?'
        r"(?:, and the letter (?P<fate>is lost|arrives twice|takes .+))?:",
        Teller.write,
    ),
    (rf"The letter from {WHO} arrives once more\.", Teller.arrive_again),
    (rf'{WHO} gets? ".*?"(?:\.|, which says(?P<part> .+)?:)', Teller.get),
    (rf"{WHO} gets? nothing\.", Teller.get_nothing),
    (r"All skim what came\.", Teller.skim_all),
    (rf"{WHO} skims? (?P<count>.+)\.", Teller.skim),
    (r"Nothing in it says (?P<words>.+)\.", Teller.say_nothing),
    (rf"The newest letter to {WHO} is lost\.", Teller.lose),
    (rf"The newest letter to {WHO} bounces\.", Teller.bounce),
    (r"The mailbox of (?P<address>\S+@\S+) (?P<how>is full|takes letters again)\.", Teller.fill),
    (r"\w[\w ]* puts (?P<new>.+) in the place of (?P<old>.+) in (?P<file>\S+)\.", Teller.forge),
    (
        rf'{WHO} saves the (?P<what>(?:letter|file) (?:sent|got) last|letter that says ".+") as (?P<file>\S+)\.',
        Teller.save,
    ),
    (r"(?P<time>[^.]+) pass(?:es)?\.(?: It is .*)?", Teller.wait),
    (r"The office (?P<how>is shut|opens)\.", Teller.shut),
    (r"They play (?P<game>\S+) to its end\.", Teller.play_on),
)
"""What may happen in a story, and who does it."""
