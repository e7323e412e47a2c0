// The processor's own instructions for SHA-256.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Compresses whole blocks of 64 bytes into the eight words of a digest with the instructions of the processor: SHA
/// extensions of x86-64, or FEAT_SHA256 of aarch64 (HWCAP_SHA2). FIPS 180-4
///
/// Returns false, and changes nothing, if the processor has none.
bool clinux_sha256_compress(uint32_t *_Nonnull state, const uint8_t *_Nonnull blocks, size_t count);
