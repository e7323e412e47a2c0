"""Lets the linker leave out what a program does not use of Swift's static libraries.

The libraries are compiled so that all of their sections are retained (SHF_GNU_RETAIN), so that each program has the whole
standard library: the vectors of SIMD, all coders, all descriptions. The flag is for the tables that the runtime searches.
Here it is taken from all else, and in these tables a record is kept if what it is for is kept (SHF_LINK_ORDER): the
record of a type or protocol with its descriptor, that of a conformance with the descriptor of the type. This is what the
compiler's `-conditional-runtime-records` does for Swift's own optimiser.

A value's metadata refer to the descriptor of its type, and so does all compiled code that names the type, but for the
types with a mangling of their own (`Si` for Int), which are found by name: their records are retained, and those of their
conformances are kept with the protocol.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from pathlib import Path

from .bundle import triples
from .cache import made_once, text_digest
from .failure import Failure, say
from .sdk import SDK

#: The tables that the runtime searches, whose records have one reference.
RECORDS = ("swift5_type_metadata", "swift5_protocols", "swift5_protocol_conformances")
#: Tables that only a program for inspecting another one searches.
REFLECTION = ("swift5_assocty", "swift5_builtin", "swift5_capture", "swift5_fieldmd")
RETAIN, LINK_ORDER = 0x200000, 0x80
RELA = 4
#: The symbols that begin so belong to types and protocols that are found by name.
NAMED = "$sS"


def lean(sdk: SDK) -> SDK:
    """Returns the SDK with changed copies of Swift's libraries and links to all else, made once in the cache."""
    recipe = Path(__file__).read_text(encoding="utf-8")
    target = sdk.path.parent / f"{sdk.key}-lean-{text_digest(recipe)}"
    bundle = sdk.bundle.resolve()
    places = {(resources / "linux-static").resolve() for _, resources in triples(bundle).values()}

    def make(work: Path) -> None:
        say(f"changing the records of {sdk.bundle.name}")
        libraries = {path for place in places for path in place.glob("libswift*.a")}
        _copy(bundle, work / bundle.name, libraries)

    made_once(target, make)
    return replace(sdk, path=target, bundle=target / bundle.name)


def _copy(source: Path, target: Path, libraries: set[Path]) -> None:
    """Copies the directories that hold the libraries, with links to their other entries."""
    target.mkdir()
    for entry in source.iterdir():
        if entry in libraries:
            make_conditional(entry, target / entry.name)
        elif entry.is_dir() and not entry.is_symlink() and any(path.is_relative_to(entry) for path in libraries):
            _copy(entry, target / entry.name, libraries)
        else:
            (target / entry.name).symlink_to(entry.resolve())


def make_conditional(archive: Path, target: Path) -> int:
    """Copies a static library with its sections no longer retained, and returns how many sections it changed."""
    data = bytearray(archive.read_bytes())
    if data[:8] != b"!<arch>\n":
        raise Failure(f"{archive} is no static library")
    at, changed = 8, 0
    while at + 60 <= len(data):
        size = int(data[at + 48 : at + 58])
        if data[at + 60 : at + 66] == b"\x7fELF\x02\x01":
            changed += _Object(data, at + 60).make_conditional()
        at += 60 + size + size % 2
    target.write_bytes(data)
    return changed


@dataclass(frozen=True)
class Reference:
    """A name that a section refers to, with the section that it is in, 0 if it is elsewhere, and its offset there."""

    name: str
    section: int
    offset: int

    @property
    def is_named(self) -> bool:
        """True if the runtime finds what a descriptor describes by its name."""
        return self.name.startswith(NAMED)


class _Object:
    """An object file inside a library, changed in place."""

    def __init__(self, data: bytearray, start: int) -> None:
        self.data = data
        self.start = start
        self.table = start + struct.unpack_from("<Q", data, start + 40)[0]
        _, count, names = struct.unpack_from("<HHH", data, start + 58)
        self.sections = [self._header(index) for index in range(count or self._header(0)[5])]
        self.names = self.sections[names or 0][4] if names < len(self.sections) else 0

    def make_conditional(self) -> int:
        """Changes the flags of the sections, and returns of how many."""
        relocations = {header[7]: index for index, header in enumerate(self.sections) if header[1] == RELA}
        changed = 0
        for index, (name, _, flags, *_) in enumerate(self.sections):
            if not flags & RETAIN:
                continue
            label, holder = self._text(self.names + name), 0
            if label in RECORDS:
                holder = self._holder(index, relocations)
            if not holder and label.startswith("swift5_") and label not in REFLECTION:
                continue
            at = self.table + index * 64
            struct.pack_into("<Q", self.data, at + 8, flags & ~RETAIN | (LINK_ORDER if holder else 0))
            if holder:
                struct.pack_into("<I", self.data, at + 40, holder)
            changed += 1
        return changed

    def _holder(self, record: int, relocations: dict[int, int]) -> int:
        """Returns the section with which a record is kept, or 0 if it is to be retained."""
        references = self._references(record, relocations)
        if self.sections[record][5] != 4 or len(references) != 1:
            return 0
        described = references[0]
        if not described.name.endswith("Mc"):
            return 0 if described.is_named else described.section
        if not described.section:
            return 0
        # A conformance: its protocol, its type, its witness table, each relative to its own place, and flags.
        parts = self._references(described.section, relocations)
        protocol, conforming = parts.get(described.offset), parts.get(described.offset + 4)
        if protocol is None or conforming is None:
            return 0
        place = self.start + self.sections[described.section][4] + described.offset + 12
        if struct.unpack_from("<I", self.data, place)[0] >> 3 & 7 or not conforming.name.endswith("Mn"):
            return 0
        if conforming.is_named:
            # It may also be referred to by an entry of a table, which is no sign that it is used.
            return protocol.section if protocol.name.endswith("Mp") and not protocol.name.startswith("got.") else 0
        return conforming.section

    def _references(self, section: int, relocations: dict[int, int]) -> dict[int, Reference]:
        """Returns the references of a section, by their offset in it."""
        if section not in relocations:
            return {}
        _, _, _, _, offset, size, symbols, _ = self.sections[relocations[section]]
        found = {}
        for at in range(self.start + offset, self.start + offset + size, 24):
            place, info, addend = struct.unpack_from("<QQq", self.data, at)
            symbol = self.start + self.sections[symbols][4] + (info >> 32) * 24
            name, _, _, index, value = struct.unpack_from("<IBBHQ", self.data, symbol)
            texts = self.sections[self.sections[symbols][6]][4]
            # A reference that is relative to its own place has no addend here.
            found[place] = Reference(self._text(texts + name), index if index < 0xFF00 else 0, value + addend)
        return found

    def _header(self, index: int) -> tuple[int, ...]:
        """Returns name, kind, flags, address, offset, size, link and info of a section."""
        return struct.unpack_from("<IIQQQQII", self.data, self.table + index * 64)

    def _text(self, offset: int) -> str:
        start = self.start + offset
        return self.data[start : self.data.index(0, start)].decode("utf-8", "replace")
