// How the C library's allocator holds on to memory. glibc only; musl gives back at once what it can.
#pragma once

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Fixes glibc's thresholds, which it would move up for good when a large block is freed, and has one heap for all
/// threads. mallopt(3)
static inline void clinux_memory_keep_small(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 64 * 1024);
    mallopt(M_ARENA_MAX, 1);
#endif
}
