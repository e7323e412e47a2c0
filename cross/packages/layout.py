"""The files of the package and of the tarball, and their places on a board."""

from __future__ import annotations

from toolchain.sdk import REPOSITORY

from .changelog import debian_changelog
from .contents import Entry, below, compressed, file
from .inputs import Release
from .manual import manual_pages
from .texts import Texts

UNITS = ("cleatd.service", "cleatd-retry.timer", "cleat-location.service")
DOCUMENTS = "usr/share/doc/cleat"


def common_files(programs: dict[str, bytes]) -> list[Entry]:
    """Returns the files of a board, whatever its init system: programs, schemas, interfaces."""
    return [
        *(Entry(f"usr/bin/{name}", data, 0o755) for name, data in programs.items()),
        *below("deploy/schemas", "usr/share/cleat/schemas"),
        *(file(path.relative_to(REPOSITORY).as_posix(), f"usr/share/cleat/varlink/{path.name}")
          for path in sorted((REPOSITORY / "Sources/CleatAPI/Interfaces").glob("*.varlink"))),
    ]


def systemd_files() -> list[Entry]:
    """Returns the units, and the group and user that they need."""
    return [
        *(file(f"deploy/systemd/{name}", f"usr/lib/systemd/system/{name}") for name in UNITS),
        file("deploy/systemd/50-cleat.preset", "usr/lib/systemd/system-preset/50-cleat.preset"),
        file("deploy/systemd/cleat.sysusers.conf", "usr/lib/sysusers.d/cleat.conf")]


def documents(texts: Texts, release: Release) -> list[Entry]:
    """Returns manual pages, completions and examples."""
    return [
        *(compressed(Entry(f"usr/share/man/{page.path}", page.data)) for page in manual_pages(texts, release)),
        Entry("usr/share/bash-completion/completions/cleat", texts.completions["bash"]),
        Entry("usr/share/fish/vendor_completions.d/cleat.fish", texts.completions["fish"]),
        *below("deploy/examples", f"{DOCUMENTS}/examples")]


def package_files(programs: dict[str, bytes], texts: Texts, release: Release, maintainer: str) -> list[Entry]:
    """Returns the files of the Debian package."""
    changes = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    return sorted([
        *common_files(programs), *systemd_files(), *documents(texts, release),
        Entry("usr/share/zsh/vendor-completions/_cleat", texts.completions["zsh"]),
        file("deploy/debian/copyright", f"{DOCUMENTS}/copyright"),
        file("deploy/debian/lintian-overrides", "usr/share/lintian/overrides/cleat"),
        compressed(Entry(f"{DOCUMENTS}/changelog", debian_changelog(changes, release, maintainer))),
    ], key=lambda entry: entry.path)


def tarball_files(programs: dict[str, bytes], texts: Texts, release: Release, arch: str) -> list[Entry]:
    """Returns the files of the tarball: `install.sh`, and what it installs, below `root` and below `init`."""
    installed = [
        *common_files(programs), *documents(texts, release),
        Entry("usr/share/zsh/site-functions/_cleat", texts.completions["zsh"]),
        file("LICENSE", f"{DOCUMENTS}/LICENSE"), file("deploy/debian/copyright", f"{DOCUMENTS}/copyright"),
        file("CHANGELOG.md", f"{DOCUMENTS}/CHANGELOG.md")]
    init = [
        *(Entry(f"init/systemd/{entry.path}", entry.data, entry.mode) for entry in systemd_files()),
        file("deploy/openrc/cleatd", "init/openrc/etc/init.d/cleatd", 0o755),
        file("deploy/procd/cleatd", "init/procd/etc/init.d/cleatd", 0o755),
        file("deploy/busybox/S15cleatd", "init/busybox/etc/init.d/S15cleatd", 0o755)]
    script = (REPOSITORY / "deploy/install.sh").read_text(encoding="utf-8")
    script = script.replace("@VERSION@", release.version).replace("@ARCHITECTURE@", arch)
    top = f"cleat-{release.version}-linux-{arch}"
    return [
        Entry(f"{top}/{entry.path}", entry.data, entry.mode)
        for entry in [
            *(Entry(f"root/{entry.path}", entry.data, entry.mode) for entry in installed), *init,
            Entry("install.sh", script.encode(), 0o755), file("LICENSE", "LICENSE"), file("CHANGELOG.md", "CHANGELOG.md")]]
