"""Make any text harmless to look at: what could not be seen, or would turn what stands around it, becomes an escape."""

import unicodedata

UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def visible(text: object) -> str:
    """Make a text harmless and one line: control and direction characters become escapes such as `\\x1b`."""
    return "".join(_escape(sign) if is_unseen(sign) else sign for sign in str(text))


def is_unseen(sign: str) -> bool:
    """Tell whether a character cannot be seen, or changes how others are."""
    return unicodedata.category(sign) in UNSEEN


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode()
