"""The manual pages: of the programs from their help, of the files from the guides and the examples."""

from __future__ import annotations

import re
from typing import Any

from toolchain.sdk import REPOSITORY

from . import markdown
from .contents import Entry
from .inputs import Release
from .roff import Page, escape, fill
from .texts import Command, Texts

FILES = (("cleatd.json5", 5), ("hooks.d", 5), ("schema.d", 5))
PROGRAMS = (("cleat", 1), ("cleat-location", 8), ("cleatd", 8))


def manual_pages(texts: Texts, release: Release) -> list[Entry]:
    """Returns all pages, not compressed, with their paths below the directory of manual pages."""
    facts = {"date": release.moment.date().isoformat(), "version": release.version}
    pages = [
        _program(texts.cleat, 1, facts), *(_program(one, 1, facts) for one in texts.cleat.subcommands),
        _program(texts.location, 8, facts), _daemon(texts.daemon, facts), *_files(facts)]
    return [Entry(page.path, page.data()) for page in pages]


def _program(command: Command, section: int, facts: dict[str, str]) -> Page:
    page = Page("-".join(command.name), section, command.abstract, **facts)
    page.heading("Synopsis")
    _synopsis(page, command)
    page.heading("Description")
    sections = _parts(command.discussion)
    _blocks(page, sections.pop("", [command.abstract]))
    _arguments(page, command)
    if len(command.name) == 1 and command.subcommands:
        page.heading("Commands")
        for one in command.subcommands:
            page.item(f"\\fB{escape('-'.join(one.name), code=True)}\\fP(1)", one.abstract)
    elif command.subcommands:
        page.heading("Commands")
        for one in command.subcommands:
            page.subheading(" ".join(one.name))
            _subcommand(page, one)
    for heading, blocks in sections.items():
        page.heading(heading)
        _blocks(page, blocks)
    verbs = [("-".join(one.name), 1) for one in command.subcommands] if len(command.name) == 1 else []
    page.see_also(*PROGRAMS, *FILES, *verbs)
    return page


def _synopsis(page: Page, command: Command) -> None:
    for one in [command, *(command.subcommands if len(command.name) > 1 else [])]:
        usage = one.usage
        name = " ".join(one.name)
        rest = usage.removeprefix(name) if usage.startswith(name) else " " + usage
        page.raw(*([".br"] if one is not command else []),
                 *fill(f"\\fB{escape(name, code=True)}\\fP{escape(rest, code=True)}"))


def _parts(discussion: str) -> dict[str, list[str]]:
    """Returns the paragraphs of a discussion by the section that they belong to; the examples are one block."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"\n\s*\n", discussion.strip("\n")):
        if block.startswith("Examples:"):
            found.setdefault("Examples", []).append(block.partition("\n")[2])
        elif block.startswith("Exit status: "):
            text = block.removeprefix("Exit status: ")
            found.setdefault("Exit status", []).append(text[0].upper() + text[1:])
        elif block.strip():
            found.setdefault("", []).append(block)
    return found


def _blocks(page: Page, blocks: list[str]) -> None:
    for block in blocks:
        lines = block.split("\n")
        while lines:
            literal = lines[0].startswith("  ")
            count = next((at for at, line in enumerate(lines) if line.startswith("  ") != literal), len(lines))
            taken, lines = lines[:count], lines[count:]
            if literal:
                page.literal([line.removeprefix("  ") for line in taken])
            else:
                page.paragraph(" ".join(taken))


def _subcommand(page: Page, command: Command) -> None:
    page.paragraph(command.abstract)
    for heading, blocks in _parts(command.discussion).items():
        if heading:
            page.paragraph(f"{heading}:")
        _blocks(page, blocks)
    _items(page, [one for one in command.arguments if not _is_common(one)])


def _arguments(page: Page, command: Command) -> None:
    positional = [one for one in command.arguments if one["kind"] == "positional"]
    if positional:
        page.heading("Arguments")
        _items(page, positional)
    own = [one for one in command.arguments if one["kind"] != "positional"]
    # A command of several has the options of all of them.
    for one in command.subcommands if len(command.name) > 1 else []:
        own += [option for option in one.arguments if _is_common(option) and option not in own]
    page.heading("Options")
    _items(page, own)


#: The options that each verb has.
_COMMON = {"host", "port", "ssh", "remote-command", "socket", "root", "output", "version", "help"}


def _is_common(argument: dict[str, Any]) -> bool:
    return any(name["name"] in _COMMON and name["kind"] == "long" for name in argument.get("names") or [])


def _items(page: Page, arguments: list[dict[str, Any]]) -> None:
    for one in arguments:
        notes = []
        if values := one.get("allValues"):
            notes.append(f"values: {', '.join(values)}")
        if default := one.get("defaultValue"):
            notes.append(f"default: {default}")
        text = (one.get("abstract") or "") + (f" ({'; '.join(notes)})" if notes else "")
        page.item(_tag(one), text)


def _tag(argument: dict[str, Any]) -> str:
    value = f"\\fI{escape(argument.get('valueName') or '', code=True)}\\fP"
    if argument["kind"] == "positional":
        return value + (" ..." if argument["isRepeating"] else "")
    dashes = {"long": "--", "short": "-", "longWithSingleDash": "-"}
    names = sorted(argument["names"], key=lambda name: name["kind"] == "long")
    tag = ", ".join(f"\\fB{escape(dashes[name['kind']] + name['name'], code=True)}\\fP" for name in names)
    return tag if argument["kind"] == "flag" else f"{tag} {value}"


def _daemon(text: str, facts: dict[str, str]) -> Page:
    blocks = [block.split("\n") for block in re.split(r"\n\s*\n", text.strip("\n"))]
    page = Page("cleatd", 8, "device configuration agent", **facts)
    page.heading("Synopsis")
    usage = next(block for block in blocks if block[0].startswith("usage:"))
    for number, line in enumerate(usage):
        words = line.removeprefix("usage:").strip()
        page.raw(*([".br"] if number else []), f"\\fBcleatd\\fP{escape(words.removeprefix('cleatd'), code=True)}")
    page.heading("Description")
    options = [block for block in blocks if block[0].startswith("  -")]
    named = [block for block in blocks if re.match(r"[A-Z][a-z]+: ", block[0])]
    for block in blocks:
        if block is not usage and block not in options and block not in named:
            page.paragraph(" ".join(block))
    page.heading("Options")
    for line in (line for block in options for line in block):
        tag, _, meaning = line.strip().partition("  ")
        option, _, value = tag.partition(" ")
        words = f"\\fB{escape(option, code=True)}\\fP" + (f" \\fI{escape(value, code=True)}\\fP" if value else "")
        page.item(words, " ".join(meaning.split()))
    for line in (line for block in named for line in block):
        heading, _, meaning = line.partition(": ")
        page.heading(heading)
        page.paragraph(meaning)
    page.heading("Files")
    for path, meaning in (
            ("/etc/cleat", "The administrator's files: `cleatd.json5`, `tokens.json5`, `hooks.d`, `schema.d`, `defaults.d`, "
             "`locks.d`, `adapters.d`."),
            ("/usr/lib/cleat", "The vendor's files of the same kinds."),
            ("/usr/share/cleat/schemas", "Schemas that `cleat schema enable` enables."),
            ("/var/lib/cleat", "The store, and the board's files."),
            ("/run/cleat/socket", "The socket.")):
        page.item(f"\\fI{escape(path, code=True)}\\fP", meaning)
    page.see_also(*PROGRAMS, *FILES)
    return page


def _files(facts: dict[str, str]) -> list[Page]:
    configuration = Page("cleatd.json5", 5, "configuration of the Cleat agent", **facts)
    configuration.heading("Synopsis")
    configuration.raw(f"\\fI{escape('/etc/cleat/cleatd.json5', code=True)}\\fP")
    configuration.heading("Description")
    example = (REPOSITORY / "deploy/examples/cleatd.json5").read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(example) if not line.startswith("//"))
    configuration.paragraph(" ".join(line.removeprefix("//").strip() for line in example[:start]))
    configuration.paragraph("All members, with their defaults or an example:")
    configuration.literal(example[start:])
    configuration.see_also(*PROGRAMS, *FILES)

    hooks = Page("hooks.d", 5, "hooks of the Cleat agent", **facts)
    hooks.heading("Synopsis")
    hooks.raw(*_paths("/etc/cleat/hooks.d/*.json5", "/usr/lib/cleat/hooks.d/*.json5"))
    hooks.heading("Description")
    guide = _guide("hooks.md").replace("`run/config/hooks.d` here, ", "")
    markdown.convert(hooks, markdown.section(guide, "Hooks"))
    hooks.heading("Events")
    markdown.convert(hooks, markdown.section(guide, "Events"))
    hooks.see_also(*PROGRAMS, *FILES)

    schemas = Page("schema.d", 5, "schemas of settings of the Cleat agent", **facts)
    schemas.heading("Synopsis")
    schemas.raw(*_paths("/etc/cleat/schema.d/*.json", "/usr/lib/cleat/schema.d/*.json"))
    schemas.heading("Description")
    markdown.convert(schemas, markdown.without(_guide("schemas.md"), "Against the official suite"))
    schemas.see_also(*PROGRAMS, *FILES)
    return [configuration, hooks, schemas]


def _guide(name: str) -> str:
    """Returns a guide, with the examples where the packages have them."""
    text = (REPOSITORY / "docs" / name).read_text(encoding="utf-8")
    return re.sub(r"\[`?deploy/examples`?\]\([^)]*\)", "`/usr/share/doc/cleat/examples`", text)


def _paths(*paths: str) -> list[str]:
    lines: list[str] = []
    for path in paths:
        lines += [*([".br"] if lines else []), f"\\fI{escape(path, code=True)}\\fP"]
    return lines
