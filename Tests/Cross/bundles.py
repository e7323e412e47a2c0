"""Swift SDK bundles without an SDK in them: enough for a tool that looks which one fits."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

TRIPLE = "aarch64-swift-linux-musl"


def write_bundle(directory: Path, version: str, triple: str = TRIPLE) -> Path:
    """Writes a bundle whose modules say that a compiler of this version made them."""
    name = f"swift-{version}-RELEASE_static-linux-0.1.0"
    bundle = directory / f"{name}.artifactbundle"
    variant = bundle / name / "swift-linux-musl"
    module = variant / "sdk/swift_static/linux-static/Swift.swiftmodule"
    module.mkdir(parents=True)
    (bundle / "info.json").write_text(json.dumps({
        "schemaVersion": "1.0",
        "artifacts": {name: {"type": "swiftSDK", "version": "0.1.0", "variants": [{"path": f"{name}/swift-linux-musl"}]}}}))
    (variant / "swift-sdk.json").write_text(json.dumps({
        "schemaVersion": "4.0",
        "targetTriples": {triple: {"sdkRootPath": "sdk", "swiftResourcesPath": "sdk/swift_static"}}}))
    (module / f"{triple}.swiftmodule").write_bytes(
        b"\0\x01module" + f"Swift version {version} (swift-{version}-RELEASE)".encode() + b"\0")
    return bundle


def write_archive(directory: Path, version: str, name: str = "") -> Path:
    """Writes such a bundle as an archive."""
    bundle = write_bundle(directory / "content", version)
    archive = directory / (name or f"{bundle.name}.tar.gz")
    subprocess.run(["tar", "-C", str(bundle.parent), "-caf", str(archive), bundle.name], check=True, timeout=60)
    return archive
