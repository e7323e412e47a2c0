"""The recipes for Yocto and Buildroot, which install the tarballs into images: filled in with versions and checksums."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from toolchain.sdk import REPOSITORY

from .contents import Entry, below
from .inputs import Release

COPYRIGHT = "deploy/debian/copyright"


def recipe_files(tarballs: Mapping[str, Path], release: Release, site: str) -> list[Entry]:
    """Returns a layer for Yocto and an external tree for Buildroot, for the architectures of the tarballs."""
    top = f"cleat-{release.version}-recipes"
    entries = [*below("deploy/yocto", f"{top}/yocto"), *below("deploy/buildroot", f"{top}/buildroot")]
    digests = {arch: hashlib.sha256(path.read_bytes()).hexdigest() for arch, path in sorted(tarballs.items())}
    values = {
        # A hyphen would end the version for the package managers of images.
        "PV": release.debian_version, "VERSION": release.version, "SITE": site.rstrip("/"),
        "ARCHITECTURES": "|".join(digests), "BUILDROOT_ARCHITECTURES": " || ".join(f"BR2_{arch}" for arch in digests)}
    for name, source in (("LICENSE", "LICENSE"), ("COPYRIGHT", COPYRIGHT)):
        data = (REPOSITORY / source).read_bytes()
        values[f"{name}_MD5"] = hashlib.md5(data, usedforsecurity=False).hexdigest()
        values[f"{name}_SHA256"] = hashlib.sha256(data).hexdigest()
    checksums = {
        ".bb": "\n".join(f'SRC_URI[{arch}.sha256sum] = "{digest}"' for arch, digest in digests.items()),
        ".hash": "\n".join(f"sha256  {digest}  {tarballs[arch].name}" for arch, digest in digests.items())}
    made = []
    for entry in entries:
        path, text = entry.path, entry.data.decode()
        for name, value in {**values, "CHECKSUMS": checksums.get(Path(path).suffix, "")}.items():
            path, text = path.replace(f"@{name}@", value), text.replace(f"@{name}@", value)
        made.append(Entry(path, text.encode(), entry.mode))
    return made
