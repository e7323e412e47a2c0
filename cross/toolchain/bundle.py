"""A Swift SDK bundle: what is in it, for which compiler it was made, and how its archives are unpacked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

from . import children
from .compiler import Compiler
from .failure import MISSING, Failure, say


def unpack(archive: Path, work: Path, compiler: Compiler) -> None:
    """Unpacks an archive into a directory and checks that its bundle fits the compiler."""
    say(f"unpacking {archive.name}")
    if archive.suffix == ".zip":
        _unzip(archive, work)
    else:
        answer = children.run(
            ["tar", "-x", "--no-same-owner", "-f", str(archive), "-C", str(work)], capture=True, text=True)
        if answer.returncode:
            raise Failure(f"{archive} cannot be unpacked: {answer.stderr.strip()[:300]}")
    require_fit(only_bundle(work), compiler)


def _unzip(archive: Path, work: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as contents:
            for entry in contents.infolist():
                mode = entry.external_attr >> 16
                if (mode & 0o170000) == 0o120000:
                    place = work / entry.filename
                    if not place.resolve().is_relative_to(work.resolve()):
                        raise Failure(f"{archive}: {entry.filename} leads out of the archive")
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.symlink_to(contents.read(entry).decode())
                else:
                    path = contents.extract(entry, work)
                    if mode & 0o777 and not entry.is_dir():
                        os.chmod(path, mode & 0o777)
    except (zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise Failure(f"{archive} cannot be unpacked: {error}") from error


def only_bundle(directory: Path) -> Path:
    """Returns the one bundle in a directory."""
    bundles = [entry for entry in directory.iterdir() if (entry / "info.json").is_file()]
    if len(bundles) != 1:
        raise Failure(f"{directory} holds {len(bundles)} bundles, not one", then=f"remove {directory} and try again")
    return bundles[0]


def triples(bundle: Path) -> dict[str, tuple[Path, Path]]:
    """Returns the triples of a bundle, each with its root and its directory of Swift's static libraries."""
    found: dict[str, tuple[Path, Path]] = {}
    try:
        info = json.loads((bundle / "info.json").read_text(encoding="utf-8"))
        for artifact in info["artifacts"].values():
            if artifact.get("type") != "swiftSDK":
                continue
            for variant in artifact["variants"]:
                directory = bundle / variant["path"]
                description = json.loads((directory / "swift-sdk.json").read_text(encoding="utf-8"))
                for name, target in description["targetTriples"].items():
                    resources = target.get("swiftStaticResourcesPath") or target["swiftResourcesPath"]
                    found[name] = directory / target["sdkRootPath"], directory / resources
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise Failure(f"{bundle} is not a Swift SDK: {error!r}", status=MISSING) from error
    return found


def bundle_version(bundle: Path) -> str:
    """Returns the version of the compiler that made a bundle's modules: what they say themselves, else its name's."""
    for name, (_, resources) in sorted(triples(bundle).items()):
        module = resources / "linux-static/Swift.swiftmodule" / f"{name}.swiftmodule"
        if not module.is_file():
            continue
        with open(module, "rb") as file:
            written = re.search(rb"Swift version (\d+\.\d+(?:\.\d+)?)", file.read(1 << 16))
        if written:
            return written[1].decode()
    named = re.search(r"(\d+\.\d+(?:\.\d+)?)", bundle.name)
    if not named:
        raise Failure(f"{bundle}: no module and no name says for which compiler it is", status=MISSING)
    return named[1]


def require_fit(bundle: Path, compiler: Compiler) -> None:
    """Refuses a bundle that another compiler made: its binary modules can be read by that one only."""
    version = bundle_version(bundle)
    if version == compiler.version:
        return
    same_minor = ".".join(version.split(".")[:2]) == compiler.minor
    if same_minor and _imports(bundle, compiler):
        say(f"warning: {bundle.name} was made by Swift {version}, the compiler is {compiler.version}; "
            "its modules can be read, but the two were not tested together")
        return
    raise Failure(
        f"{bundle.name} was made by Swift {version}, the compiler is Swift {compiler.version}, and binary modules can be "
        "read by the compiler that made them only", status=MISSING,
        then=f"give the SDK for {compiler.version}, or install Swift {version}")


def _imports(bundle: Path, compiler: Compiler) -> bool:
    """Tries whether the compiler reads the bundle's modules."""
    name, (root, resources) = sorted(triples(bundle).items())[0]
    modules = [m for m in ("Synchronization", "Dispatch", "FoundationEssentials") if any(
        (resources / "linux-static").glob(f"{m}.swiftmodule"))]
    answer = subprocess.run(
        [str(compiler.bin / "swiftc"), "-target", name, "-sdk", str(root), "-resource-dir", str(resources),
         "-static-stdlib", "-typecheck", "-"], input="".join(f"import {m}\n" for m in modules) + "print(1)\n",
        capture_output=True, text=True, check=False, timeout=300)
    return answer.returncode == 0
