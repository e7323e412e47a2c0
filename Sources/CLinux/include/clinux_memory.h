// The memory of the process: the C library's heap, and the pages of its own program.
#pragma once

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Unmaps the pages of the program's code and constants, which are loaded from the page cache again when they are
/// accessed.
///
/// Only segments that are not writable are unmapped: they contain no data of the process's own. Returns the size of
/// these segments in bytes. dl_iterate_phdr(3), madvise(2)
long clinux_memory_release_program(void);
/// Disables core files of this process: RLIMIT_CORE, and for root PR_SET_DUMPABLE, which also applies to programs that
/// receive core files by a pipe. An executed child can be dumped again if its limit is raised.
int clinux_memory_forbid_core(void);

/// Sets fixed thresholds for glibc, which would otherwise raise them permanently when a large block is freed, and uses
/// one heap for all threads. musl returns free memory at once. mallopt(3)
static inline void clinux_memory_keep_small(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 64 * 1024);
    mallopt(M_ARENA_MAX, 1);
#endif
}
