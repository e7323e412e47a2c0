"""Debian's arm64 packages through a private apt: the machine's own sources and packages are not touched."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from toolchain import children

from .errors import BoardError

MIRROR = "http://deb.debian.org"
SUITE = "bookworm"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


@dataclass(frozen=True)
class Package:
    """One package at the version that the mirror has now."""

    name: str
    version: str
    sha256: str


class Packages:
    """Finds, fetches and unpacks; keeps what it fetched in `directory` by its checksum. Used under the images' lock."""

    def __init__(self, directory: Path, suite: str = SUITE) -> None:
        self._debs = directory / "debs"
        self._apt = directory / ("apt" if suite == SUITE else f"apt-{suite}")
        self._debs.mkdir(parents=True, exist_ok=True)
        for part in ("state/lists/partial", "cache/archives/partial", "etc/parts", "etc/preferences.d", "etc/trusted"):
            (self._apt / part).mkdir(parents=True, exist_ok=True)
        (self._apt / "state/status").touch()
        mirror = os.environ.get("CLEAT_DEBIAN_MIRROR", MIRROR).rstrip("/")
        if not KEYRING.exists():
            raise BoardError(f"no {KEYRING}", remedy="apt-get install debian-archive-keyring (or .ci/setup cross)",
                             missing=True)
        (self._apt / "sources.list").write_text("".join(
            f"deb [signed-by={KEYRING}] {mirror}/{place} {suite} main\n" for place, suite in
            (("debian", suite), ("debian", f"{suite}-updates"), ("debian-security", f"{suite}-security"))))
        # Proxies and the like hold for this too; hooks that tidy the machine's own cache do not.
        inherited = [line for line in self._output(["apt-config", "dump"], own=False).splitlines()
                     if re.match(r"Acquire::(https?|ftp|Check-|Retries)", line)]
        root = self._apt.absolute()
        (self._apt / "apt.conf").write_text("\n".join(inherited + [
            'APT::Architecture "arm64";', 'APT::Architectures { "arm64"; };', 'APT::Sandbox::User "";',
            'APT::Install-Recommends "false";', 'Acquire::Languages "none";', 'Acquire::Retries "3";',
            'Acquire::http::Timeout "30";',
            f'Dir::State "{root}/state";', f'Dir::State::status "{root}/state/status";', f'Dir::Cache "{root}/cache";',
            f'Dir::Etc "{root}/etc";', f'Dir::Etc::parts "{root}/etc/parts";', f'Dir::Etc::sourceparts "-";',
            f'Dir::Etc::sourcelist "{root}/sources.list";', f'Dir::Etc::trustedparts "{root}/etc/trusted";']) + "\n")

    def update(self) -> None:
        """Asks the mirror what it has now."""
        self._output(["apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any"])

    def find(self, name: str) -> Package:
        """Returns the package at the version that would be installed."""
        fields = self._show(name)
        return Package(name, fields["Version"], fields["SHA256"])

    def kernel(self) -> Package:
        """Returns the generic kernel, which a package without content names in its dependencies."""
        match = re.search(r"linux-image-[0-9][^ ,]*", self._show("linux-image-arm64").get("Depends", ""))
        if match is None:
            raise BoardError("the mirror's linux-image-arm64 names no kernel", remedy="report it with the suite's name")
        return self.find(match.group())

    def closure(self, names: list[str]) -> list[Package]:
        """Returns the packages and all that they depend on, without the recommended ones."""
        plan = self._output(["apt-get", "install", "-q", "-s", "--no-install-recommends", *names])
        return [self.find(name) for name in re.findall(r"^Inst ([^ :]+)", plan, re.MULTILINE)]

    def fetch(self, packages: list[Package]) -> list[Path]:
        """Returns the packages' files, downloaded where they are not there yet."""
        paths = {package: self._debs / f"{package.sha256}.deb" for package in packages}
        missing = [package for package in packages if not paths[package].exists()]
        if missing:
            with tempfile.TemporaryDirectory(prefix=".fetch-", dir=self._debs) as directory:
                self._output(["apt-get", "download", "-q", *(f"{package.name}={package.version}" for package in missing)],
                             directory=Path(directory))
                by_digest = {hashlib.sha256(file.read_bytes()).hexdigest(): file for file in Path(directory).iterdir()}
                for package in missing:
                    if package.sha256 not in by_digest:
                        raise BoardError(f"the mirror sent another {package.name} {package.version} than it lists",
                                         remedy="try again later; the mirror may be in the middle of an update")
                    by_digest[package.sha256].rename(paths[package])
        for path in paths.values():
            os.utime(path)  # in use; what apt downloads has the time of the mirror
        return [paths[package] for package in packages]

    def _show(self, name: str) -> dict[str, str]:
        text = self._output(["apt-cache", "show", "--no-all-versions", name])
        return dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", text.split("\n\n")[0], re.MULTILINE))

    def _output(self, command: list[str], *, own: bool = True, directory: Path | None = None) -> str:
        environment = {**os.environ, "LC_ALL": "C", **({"APT_CONFIG": str(self._apt.absolute() / "apt.conf")} if own else {})}
        try:
            done = children.run(command, capture=True, text=True, env=environment, cwd=directory, seconds=900)
        except FileNotFoundError:
            raise BoardError(f"no {command[0]} on PATH", remedy="images are built on Debian or Ubuntu",
                             missing=True) from None
        except subprocess.TimeoutExpired:
            raise BoardError(f"{' '.join(command[:2])} took more than 15 minutes", remedy="see the network") from None
        if done.returncode != 0:
            reason = " ".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-3:])
            full = "No space left" in reason
            raise BoardError(f"{' '.join(command[:2])} failed: {reason}", remedy=
                             f"free space for {self._debs.parent}, or set CLEAT_CACHE to another directory" if full else
                             "the mirror must be reachable to build an image; CLEAT_DEBIAN_MIRROR names another one",
                             missing=not full)
        return done.stdout


def unpack(deb: Path, directory: Path, *wanted: str) -> None:
    """Unpacks a package, or those of its paths that match patterns, below a directory that may have links as directories."""
    directory.mkdir(parents=True, exist_ok=True)
    # tar stops reading early, and dpkg-deb takes a closed pipe as an error: the rest is read and thrown away.
    script = 'set -e; dpkg-deb --fsys-tarfile "$1" | { shift; tar -x -p --wildcards --keep-directory-symlink -C "$@"; cat >/dev/null; }'
    done = children.run(["bash", "-o", "pipefail", "-c", script, "unpack", str(deb), str(directory), *wanted],
                        capture=True, text=True, seconds=600)
    if done.returncode != 0:
        raise BoardError(f"{deb.name} could not be unpacked: {done.stderr.strip()[-500:]}",
                         remedy="is the disk full? otherwise cross/vboard/images --clean")


def need(program: str, package: str) -> str:
    """Returns the path of a program of this machine."""
    path = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        raise BoardError(f"no {program} on PATH", remedy=f"apt-get install {package} (or .ci/setup cross)", missing=True)
    return path


def say(text: str) -> None:
    """Prints the progress of slow steps."""
    print(f"vboard: {text}", file=sys.stderr, flush=True)
