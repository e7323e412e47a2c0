"""Manual pages in the macros of man(7), which groff and mandoc both format."""

from __future__ import annotations

import re
import textwrap
import unicodedata

#: The columns of a line of the source; longer words stay whole.
WIDTH = 78
_CHARACTERS = {"\\": "\\(rs", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}
_CODE = re.compile(r"``(.+?)``|`([^`]+)`|\*\*([^*]+)\*\*")


def escape(text: str, *, code: bool = False) -> str:
    """Returns a text whose characters roff prints as they are; in code a hyphen is a minus sign."""
    made = []
    for character in unicodedata.normalize("NFC", text):
        if character == "-" and code:
            made.append("\\-")
        elif character in _CHARACTERS and (code or character not in "'"):
            made.append(_CHARACTERS[character])
        elif ord(character) > 126:
            made.append(f"\\[u{ord(character):04X}]")
        else:
            made.append(character)
    return "".join(made)


def _options_as_code(text: str) -> str:
    # A hyphen that begins an option is a minus sign, so that it can be copied and searched for.
    return re.sub(r"(?<![\w\\])(--?)(?=[A-Za-z])", lambda match: "\\-" * len(match[1]), escape(text))


def inline(text: str) -> str:
    """Returns prose with Markdown's code and strong words in bold."""
    made, at = [], 0
    for match in _CODE.finditer(text):
        made += [_options_as_code(text[at:match.start()]), _bold(match[1] or match[2] or match[3])]
        at = match.end()
    return "".join([*made, _options_as_code(text[at:])])


def _bold(code: str) -> str:
    # A word break inside of code is one that the source may not be wrapped at.
    return f"\\fB{escape(code, code=True)}\\fP"


def argument(text: str) -> str:
    """Returns a text as one quoted argument of a macro."""
    return '"' + text.replace('"', '\\(dq') + '"'


def _safe(line: str) -> str:
    # A line that begins with a dot or an apostrophe would be a request.
    return f"\\&{line}" if line.startswith((".", "'")) else line


def fill(text: str) -> list[str]:
    """Returns escaped prose as lines of the source."""
    wrapped = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [_safe(line) for line in wrapped]


def title(text: str) -> str:
    """Returns the words of a heading."""
    return argument(escape(re.sub(r"`", "", text), code=True))


class Page:
    """A manual page that is being written."""

    def __init__(self, name: str, section: int, abstract: str, *, date: str, version: str) -> None:
        self.name = name
        self.section = section
        self._lines = [
            f".TH {title(name.upper())} {section} {date} {argument('Cleat ' + version)} {argument('Cleat Manual')}",
            ".SH NAME", *fill(f"{escape(name, code=True)} \\- {escape(abstract.rstrip('.'))}")]

    def heading(self, text: str) -> None:
        """Begins a section."""
        self._lines.append(f".SH {title(text.upper())}")

    def subheading(self, text: str) -> None:
        """Begins a part of a section."""
        self._lines.append(f".SS {title(text)}")

    def paragraph(self, text: str) -> None:
        """Adds prose, with code between backticks."""
        if not self._lines[-1].startswith((".SH", ".SS")):
            self._lines.append(".PP")
        self._lines += fill(inline(text))

    def item(self, tag: str, text: str) -> None:
        """Adds an item of a list; the tag is escaped already."""
        self._lines += [".TP", _safe(tag), *(fill(inline(text)) or ["\\&"])]

    def bullet(self, text: str) -> None:
        """Adds an item without a tag."""
        self._lines += [".IP \\(bu 2", *fill(inline(text))]

    def literal(self, lines: list[str]) -> None:
        """Adds lines as they are, indented."""
        if not self._lines[-1].startswith((".SH", ".SS")):
            self._lines.append(".PP")
        self._lines += [".RS 4", ".nf"]
        self._lines += [_safe(escape(line.rstrip(), code=True)) if line.strip() else "\\&" for line in lines]
        self._lines += [".fi", ".RE"]

    def raw(self, *lines: str) -> None:
        """Adds lines of roff."""
        self._lines += lines

    def see_also(self, *pages: tuple[str, int]) -> None:
        """Adds the last section, with references to other pages."""
        self.heading("See also")
        others = [page for page in sorted(set(pages), key=lambda page: (page[1], page[0])) if page != (self.name, self.section)]
        for number, (name, section) in enumerate(others, 1):
            self._lines.append(f".BR {escape(name, code=True)} ({section}){',' if number < len(others) else ''}")

    def data(self) -> bytes:
        """Returns the page as a file."""
        return ("\n".join(self._lines) + "\n").encode("ascii")

    @property
    def path(self) -> str:
        """The path of the page below a directory of manual pages."""
        return f"man{self.section}/{self.name}.{self.section}"
