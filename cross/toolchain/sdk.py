"""Finds, or installs, the Static Linux SDK that fits the compiler."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from . import releases
from .bundle import bundle_version, only_bundle, require_fit, triples, unpack
from .cache import cache_directory, file_digest, made_once, text_digest
from .compiler import Compiler
from .download import fetch
from .failure import MISSING, Failure, say

ARCHITECTURES = ("aarch64", "x86_64")
REPOSITORY = Path(__file__).resolve().parents[2]


def triple(arch: str) -> str:
    """Returns the triple of a static build for an architecture."""
    return f"{arch}-swift-linux-musl"


@dataclass(frozen=True)
class SDK:
    """A bundle in a directory of its own, so that SwiftPM never has to choose between two of one triple."""

    path: Path
    bundle: Path
    source: str

    def root(self, arch: str) -> Path:
        """Returns the directory with the C library's headers and libraries."""
        return triples(self.bundle)[triple(arch)][0]

    def resources(self, arch: str) -> Path:
        """Returns the directory with Swift's static libraries and clang's headers."""
        return triples(self.bundle)[triple(arch)][1]

    @property
    def key(self) -> str:
        """A key that changes with the bundle."""
        return self.path.name


def find_sdk(arch: str, compiler: Compiler) -> SDK:
    """Returns the SDK that was given, one that is installed, the official one, or the shared one, in this order."""
    given = os.environ.get("CLEAT_SWIFT_SDK")
    sdk = _given(Path(given), compiler) if given else _searched(arch, compiler)
    if triple(arch) not in triples(sdk.bundle):
        raise Failure(
            f"{sdk.bundle} has no {triple(arch)}, only {', '.join(sorted(triples(sdk.bundle)))}", status=MISSING,
            then="build for one of these, or set CLEAT_SWIFT_SDK to another bundle")
    return sdk


def _searched(arch: str, compiler: Compiler) -> SDK:
    tried: list[str] = ["CLEAT_SWIFT_SDK is not set"]
    installed, notes = _installed(arch, compiler)
    tried += notes
    if installed:
        return installed
    kept = _kept(compiler)
    if kept:
        return kept
    if reason := releases.unreachable():
        tried.append(f"{releases.download_site()} cannot be reached: {reason}")
    else:
        try:
            return _official(compiler)
        except Failure as failure:
            # A proxy that answers for the site, or a release that is not there: what was sent and is wrong is no reason.
            if failure.status != MISSING:
                raise
            tried.append(str(failure))
            say(f"the official SDK cannot be had: {str(failure).splitlines()[-1].strip()}")
    for directory in shared_directories():
        archives = sorted(directory.glob("*.artifactbundle.tar.*")) + sorted(directory.glob("*.artifactbundle.zip"))
        for archive in archives:
            try:
                return _unpacked(archive, compiler, "shared")
            except Failure as failure:
                if failure.status != MISSING:
                    raise
                tried.append(str(failure))
        if not archives:
            tried.append(f"{directory}: is not there, or has no bundle")
    raise Failure(
        f"there is no Static Linux SDK for Swift {compiler.version}:\n  " + "\n  ".join(tried), status=MISSING,
        then="set CLEAT_SWIFT_SDK to its bundle (a directory, .tar.gz, .tar.xz or .zip)")


def _given(path: Path, compiler: Compiler) -> SDK:
    if path.is_file():
        return _unpacked(path, compiler, "given")
    if not path.is_dir():
        raise Failure(
            f"CLEAT_SWIFT_SDK: {path} is not there", status=MISSING, then="set it to a bundle, or unset it")
    bundles = [path] if (path / "info.json").is_file() else sorted(
        entry for entry in path.glob("*.artifactbundle") if (entry / "info.json").is_file())
    if not bundles:
        archives = sorted(path.glob("*.artifactbundle.tar.*")) + sorted(path.glob("*.artifactbundle.zip"))
        if len(archives) == 1:
            return _unpacked(archives[0], compiler, "given")
        raise Failure(
            f"CLEAT_SWIFT_SDK: {path} holds no bundle (a directory NAME.artifactbundle with an info.json)",
            status=MISSING)
    fitting = [bundle for bundle in bundles if bundle_version(bundle) == compiler.version] or bundles
    if len(fitting) > 1:
        raise Failure(
            f"CLEAT_SWIFT_SDK: {path} holds {len(fitting)} bundles that would do: "
            + ", ".join(bundle.name for bundle in fitting), then="name one of them")
    require_fit(fitting[0], compiler)
    return _linked(fitting[0], "given")


def _installed(arch: str, compiler: Compiler) -> tuple[Optional[SDK], list[str]]:
    """Looks where `swift sdk install` puts bundles."""
    home = Path(os.path.expanduser("~"))
    configuration = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    notes: list[str] = []
    for directory in (home / ".swiftpm/swift-sdks", configuration / "swiftpm/swift-sdks"):
        for bundle in sorted(directory.glob("*.artifactbundle")):
            try:
                if triple(arch) not in triples(bundle):
                    continue
                if bundle_version(bundle) == compiler.version:
                    return _linked(bundle, "installed"), notes
                notes.append(f"{bundle.name} is installed, for Swift {bundle_version(bundle)}")
            except Failure as failure:
                notes.append(str(failure))
    if not notes:
        notes.append("`swift sdk list` has none for this triple")
    return None, notes


def _kept(compiler: Compiler) -> Optional[SDK]:
    """Returns the official bundle that an earlier run has fetched."""
    known = releases.KNOWN.get(compiler.version)
    directory = cache_directory() / "sdks"
    path = directory / f"official-{compiler.version}-{known[1][:16]}" if known else None
    if path is None:
        kept = sorted(directory.glob(f"official-{compiler.version}-*"))
        path = kept[0] if kept else None
    if path and path.is_dir():
        return SDK(path, only_bundle(path), "official")
    return None


def _official(compiler: Compiler) -> SDK:
    if not re.fullmatch(r"swift-[\d.]+-RELEASE", compiler.tag):
        raise Failure(
            f"swift.org releases no SDK for the compiler {compiler.tag}", status=MISSING,
            then="set CLEAT_SWIFT_SDK to the bundle that was built together with it")
    bundle, checksum = releases.KNOWN.get(compiler.version) or releases.published(compiler.version)
    address = releases.archive_address(compiler.version, bundle)
    target = cache_directory() / "sdks" / f"official-{compiler.version}-{checksum[:16]}"

    def make(work: Path) -> None:
        say(f"fetching {address}")
        archive = fetch([address], checksum, work / "download" / releases.archive_name(compiler.version, bundle))
        unpack(archive, work, compiler)
        archive.unlink()
        archive.parent.rmdir()

    made_once(target, make)
    return SDK(target, only_bundle(target), "official")


def _unpacked(archive: Path, compiler: Compiler, source: str) -> SDK:
    """Unpacks an archive into the cache, once for its content."""
    checksum = file_digest(archive)
    pinned = os.environ.get("CLEAT_SWIFT_SDK_CHECKSUM") if source == "given" else None
    pinned = pinned or releases.pinned_checksum(archive.name)
    if pinned and checksum != pinned.lower():
        raise Failure(
            f"{archive} has checksum {checksum}, must have {pinned}; nothing of it was kept",
            then="fetch it again, or give a bundle that you trust under another name")
    if not pinned:
        say(f"{archive.name}: no checksum is known for it; it was not checked (CLEAT_SWIFT_SDK_CHECKSUM gives one)")
    target = cache_directory() / "sdks" / f"{source}-{checksum[:16]}"
    made_once(target, lambda work: unpack(archive, work, compiler))
    bundle = only_bundle(target)
    require_fit(bundle, compiler)
    return SDK(target, bundle, source)


def _linked(bundle: Path, source: str) -> SDK:
    """Gives a bundle that lies elsewhere a directory of its own in the cache, by a symbolic link."""
    real = bundle.resolve()
    mark = (real / "info.json").stat()
    target = cache_directory() / "sdks" / f"{source}-{text_digest(str(real), str(mark.st_mtime_ns), str(mark.st_ino))}"
    made_once(target, lambda work: (work / real.name).symlink_to(real))
    return SDK(target, target / real.name, source)


def shared_directories() -> list[Path]:
    """Returns the directories of shared bundles: next to the repository, or next to the one that it was cloned from."""
    directories = [REPOSITORY.parent / "shared/static-sdk"]
    origin = subprocess.run(
        ["git", "-C", str(REPOSITORY), "config", "--get", "remote.origin.url"], capture_output=True, text=True,
        check=False, stdin=subprocess.DEVNULL).stdout.strip().removeprefix("file://")
    if origin.startswith("/"):
        directories.append(Path(origin).parent / "shared/static-sdk")
    return list(dict.fromkeys(directories))
