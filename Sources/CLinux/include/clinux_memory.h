// What the process holds of the memory: the C library's heap, and the pages of its own program.
#pragma once

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Unmaps the pages of the program's code and constants, which come back from the page cache as they are touched. Only
/// segments that cannot be written: nothing in them is ever the process's own. Returns the bytes that were looked at.
/// dl_iterate_phdr(3), madvise(2)
long clinux_memory_release_program(void);
/// Has no core file written of this process: RLIMIT_CORE, and for root PR_SET_DUMPABLE, which programs that take core files
/// by a pipe heed, too. A child that is executed can be dumped again where its limit is raised.
int clinux_memory_forbid_core(void);

/// Fixes glibc's thresholds, which it would move up for good when a large block is freed, and has one heap for all
/// threads. musl gives back at once what it can. mallopt(3)
static inline void clinux_memory_keep_small(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 64 * 1024);
    mallopt(M_ARENA_MAX, 1);
#endif
}
