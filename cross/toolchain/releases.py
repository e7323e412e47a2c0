"""The Static Linux SDKs that swift.org has released, with the checksums that it publishes for them."""

from __future__ import annotations

import json
import os
import threading
import urllib.error
import urllib.request
from typing import Optional

from .failure import Failure

#: Compiler version: the bundle's own version, SHA-256 of its archive.
KNOWN: dict[str, tuple[str, str]] = {
    "6.2": ("0.0.1", "d2225840e592389ca517bbf71652f7003dbf45ac35d1e57d98b9250368769378"),
    "6.2.1": ("0.0.1", "08e1939a504e499ec871b36826569173103e4562769e12b9b8c2a50f098374ad"),
    "6.2.2": ("0.0.1", "a24285cd28eb5e6dcbe35495179b117711c6ca8e6d579e0507622b7b8752ee94"),
    "6.2.3": ("0.0.1", "f30ec724d824ef43b5546e02ca06a8682dafab4b26a99fbb0e858c347e507a2c"),
    "6.3": ("0.1.0", "d2078b69bdeb5c31202c10e9d8a11d6f66f82938b51a4b75f032ccb35c4c286c"),
    "6.3.1": ("0.1.0", "fac05271c1f7d060bd203240ce5251d5ca902d30ac899f553765dbb3a88b97ad"),
    "6.3.2": ("0.1.0", "3fd798bef6f4408f1ea5a6f94ce4d4052830c4326ab85ebc04f983f01b3da407"),
    "6.3.3": ("0.1.0", "87c3eaf908e67c0e13a84367119e12273cec1d2cd3d81f7d74bb36722d6b607b"),
}

#: Archives that are used instead of the official ones if swift.org cannot be reached, by file name.
ALTERNATIVES: dict[str, str] = {
    "swift-6.3.1-debian_static-linux-0.0.1.artifactbundle.tar.xz":
        "58b047d3218f5cd3a3a1c1c392105e4eae21a756badbcc0d3663e0df08424b14",
}

CATALOGUE = "https://www.swift.org/api/v1/install/releases.json"


def download_site() -> str:
    """Returns the address of the archives: swift.org, or a mirror of it from CLEAT_SWIFT_ORG (the checksums stay the same)."""
    return os.environ.get("CLEAT_SWIFT_ORG", "https://download.swift.org").rstrip("/")


def archive_name(version: str, bundle: str) -> str:
    """Returns the file name that swift.org gives the archive."""
    return f"swift-{version}-RELEASE_static-linux-{bundle}.artifactbundle.tar.gz"


def archive_address(version: str, bundle: str) -> str:
    """Returns the address of the archive."""
    tag = f"swift-{version}-RELEASE"
    return f"{download_site()}/{tag.lower()}/static-sdk/{tag}/{archive_name(version, bundle)}"


def pinned_checksum(name: str) -> Optional[str]:
    """Returns the checksum that an archive of this file name must have, where one is known."""
    for version, (bundle, checksum) in KNOWN.items():
        if name == archive_name(version, bundle):
            return checksum
    return ALTERNATIVES.get(name)


def published(version: str) -> tuple[str, str]:
    """Returns bundle version and checksum of a release that the table does not have, from swift.org's own catalogue."""
    try:
        with urllib.request.urlopen(CATALOGUE, timeout=10) as answer:
            releases = json.load(answer)
        for release in releases:
            if release["name"] != version:
                continue
            for platform in release["platforms"]:
                checksum = str(platform.get("checksum", ""))
                if platform.get("platform") == "static-sdk" and len(checksum) == 64:
                    return str(platform.get("version", "0.1.0")), checksum
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Failure(f"swift.org's catalogue of releases could not be read: {error}") from error
    raise Failure(
        f"swift.org's catalogue names no Static Linux SDK, or no checksum of one, for Swift {version}",
        then="set CLEAT_SWIFT_SDK to a bundle that you trust")


def unreachable(seconds: float = 4) -> Optional[str]:
    """Returns the reason why the download site cannot be reached; None if it can; takes at most so many seconds."""
    if os.environ.get("CLEAT_OFFLINE", "0") not in ("", "0"):
        return "CLEAT_OFFLINE is set"
    reason: list[Optional[str]] = []

    def ask() -> None:
        request = urllib.request.Request(download_site() + "/", method="HEAD")
        try:
            urllib.request.urlopen(request, timeout=seconds).close()
            reason.append(None)
        except urllib.error.HTTPError:
            reason.append(None)  # a site that refuses is reachable
        except (OSError, ValueError) as error:
            reason.append(str(getattr(error, "reason", error)))

    # Looking up a name has no time limit of its own; a thread that hangs in it does not keep the process.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    return reason[0] if reason else f"no answer within {seconds:g} s"
