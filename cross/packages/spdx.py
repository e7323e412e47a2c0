"""The document in SPDX 2.3 that lists the packages, their files, and the libraries in their programs."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolchain import sqlite_source
from toolchain.failure import MISSING, Failure
from toolchain.sdk import REPOSITORY

from .contents import Entry
from .inputs import Release

SWIFT_LICENSE = "Apache-2.0 WITH Swift-exception"


@dataclass(frozen=True)
class Library:
    """A library that is linked into the programs."""

    name: str
    version: str | None
    location: str
    license: str
    #: The revision or the checksum of its sources.
    revision: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Artifact:
    """A package that is published, with the files in it."""

    path: Path
    entries: list[Entry]


def libraries(resolved: Path = REPOSITORY / "Package.resolved") -> list[Library]:
    """Returns the libraries: those of Package.resolved, SQLite as `cross/sysroot` builds it, and the parts of the SDK."""
    if not resolved.is_file():
        raise Failure(
            f"{resolved} is missing, so the versions of the dependencies are unknown", status=MISSING,
            then="run cross/build or swift package resolve, which write it")
    pins = json.loads(resolved.read_text(encoding="utf-8"))["pins"]
    found = [
        Library(pin["identity"], pin["state"].get("version"), pin["location"], SWIFT_LICENSE, pin["state"]["revision"])
        for pin in pins]
    release = sqlite_source.RELEASE
    found.append(Library(
        "sqlite", sqlite_source.VERSION, f"https://snapshot.debian.org/file/{release.sha1}", "blessing", sha256=release.sha256))
    # The SDK has no versions of its parts that a program could print.
    found += [Library("swift-static-linux-sdk", None, "https://www.swift.org/install/linux/", SWIFT_LICENSE),
              Library("musl", None, "https://musl.libc.org/", "MIT")]
    return sorted(found, key=lambda library: library.name)


def document(artifacts: list[Artifact], release: Release, found: Iterable[Library]) -> bytes:
    """Returns the document."""
    packages: list[dict[str, Any]] = [{
        "SPDXID": "SPDXRef-Cleat", "name": "cleat", "versionInfo": release.version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION"}]
    files: list[dict[str, Any]] = []
    relations = [_relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Cleat")]
    for library in found:
        packages.append(_library(library))
        relations.append(_relation("SPDXRef-Cleat", "DEPENDS_ON", packages[-1]["SPDXID"]))
    for artifact in artifacts:
        name = artifact.path.name
        made = [_file(name, entry) for entry in artifact.entries]
        digests = sorted(one["checksums"][0]["checksumValue"] for one in made)
        packages.append({
            "SPDXID": _id("Package", name), "name": name, "versionInfo": release.version, "packageFileName": name,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": True, "checksums": _checksums(artifact.path.read_bytes())[1:],
            "packageVerificationCode": {"packageVerificationCodeValue": _sha1("".join(digests).encode())},
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "Apache-2.0", "licenseInfoFromFiles": ["NOASSERTION"],
            "copyrightText": "NOASSERTION", "primaryPackagePurpose": "INSTALL",
            "hasFiles": [one["SPDXID"] for one in made]})
        relations.append(_relation("SPDXRef-DOCUMENT", "DESCRIBES", packages[-1]["SPDXID"]))
        relations.append(_relation(packages[-1]["SPDXID"], "VARIANT_OF", "SPDXRef-Cleat"))
        files += made
    name = f"cleat-{release.version}"
    content = json.dumps([packages, files], sort_keys=True)
    made_document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "creationInfo": {"created": release.moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: cleat-cross-package"]},
        "packages": packages, "files": files, "relationships": relations}
    return (json.dumps(made_document, indent=1, ensure_ascii=False) + "\n").encode()


def _library(library: Library) -> dict[str, Any]:
    location = library.location
    if library.revision:
        location = f"git+{location.removesuffix('.git')}@{library.revision}"
    made: dict[str, Any] = {
        "SPDXID": _id("Library", library.name), "name": library.name, "downloadLocation": location, "filesAnalyzed": False,
        "licenseConcluded": library.license, "licenseDeclared": library.license, "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "LIBRARY"}
    if library.version:
        made["versionInfo"] = library.version
    if library.sha256:
        made["checksums"] = [{"algorithm": "SHA256", "checksumValue": library.sha256}]
    return made


def _file(artifact: str, entry: Entry) -> dict[str, Any]:
    kind = "BINARY" if entry.data.startswith(b"\x7fELF") else "ARCHIVE" if entry.path.endswith(".gz") else "TEXT"
    return {
        "SPDXID": _id("File", f"{artifact}/{entry.path}"), "fileName": f"./{entry.path}", "fileTypes": [kind],
        "checksums": _checksums(entry.data), "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION"}


def _id(kind: str, name: str) -> str:
    # An identifier has letters, digits, dots and hyphens only; the digest keeps two names apart.
    return f"SPDXRef-{kind}-{re.sub(r'[^A-Za-z0-9.]+', '-', name)}-{_sha1(name.encode())[:8]}"


def _checksums(data: bytes) -> list[dict[str, str]]:
    return [{"algorithm": "SHA1", "checksumValue": _sha1(data)},
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}]


def _sha1(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def _relation(one: str, kind: str, other: str) -> dict[str, str]:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
