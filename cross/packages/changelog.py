"""Debian's changelog, made of CHANGELOG.md."""

from __future__ import annotations

import email.utils
import re
import textwrap
from dataclasses import dataclass, field

from .inputs import Release


@dataclass
class Version:
    """The changes of one version, each with the headings above it."""

    number: str
    #: The time that the heading names as a date, else that of the release.
    time: int
    changes: list[tuple[str, str]] = field(default_factory=list)


def parse(text: str, release: Release) -> list[Version]:
    """Returns the versions of a changelog in the format of Keep a Changelog, the newest first."""
    versions: list[Version] = []
    headings = ["", ""]
    for block in re.split(r"\n(?=#|- )|\n\s*\n", text):
        block = block.strip()
        if match := re.match(r"## \[?([0-9][^\s\]]*)\]?(?: - ([0-9]{4})-([0-9]{2})-([0-9]{2}))?", block):
            versions.append(Version(match[1], release.time))
            headings = ["", ""]
        elif block.startswith("## "):
            versions.append(Version("", release.time))
        elif versions and (match := re.match(r"(###+) (.+)", block)):
            headings = [match[2], ""] if len(match[1]) == 3 else [headings[0], match[2]]
        elif versions and block:
            versions[-1].changes.append((": ".join(filter(None, headings)), " ".join(block.removeprefix("- ").split())))
    return [version for version in versions if version.number]


def debian_changelog(text: str, release: Release, maintainer: str) -> bytes:
    """Returns the changelog of the package; a version that the text does not have yet is its first entry."""
    versions = parse(text, release)
    if release.version not in (version.number for version in versions):
        versions.insert(0, Version(release.version, release.time, [("", "Built from the sources after the last release.")]))
    lines: list[str] = []
    for age, version in enumerate(versions):
        lines += [f"cleat ({version.number.replace('-', '~')}) stable; urgency=medium", ""]
        former = ""
        for heading, change in version.changes:
            if heading != former:
                lines += [*([""] if lines[-1] else []), f"  [ {heading} ]"]
            former = heading
            lines += textwrap.wrap(
                change, 78, initial_indent="  * ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        # Two entries have different times.
        time = email.utils.formatdate(version.time - age, usegmt=False)
        lines += ["", f" -- {maintainer}  {time.replace('-0000', '+0000')}", ""]
    return "\n".join(lines).encode()
