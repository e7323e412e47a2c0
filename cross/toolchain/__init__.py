"""Finds the SDK, builds the C libraries and the static binaries: what `cross/sdk`, `cross/sysroot` and `cross/build` share."""
