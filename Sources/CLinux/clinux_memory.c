#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_memory.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static int clinux_memory_release_object(struct dl_phdr_info *object, size_t size, void *result) {
    (void)size;
    long *released = result;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        // Data that is relocated and then protected (RELRO) is in a writable segment, and would be lost.
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0 || segment->p_memsz == 0) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);
        if (madvise((void *)start, end - start, MADV_DONTNEED) < 0) {
            *released = -errno;
            return 1;
        }
        *released += (long)(end - start);
    }
    // The first object is the program itself; libraries are shared with other processes.
    return 1;
}

// Only a static program keeps mappings (cross/toolchain/link/maps.c).
void clinux_maps_release(void) __attribute__((weak));

long clinux_memory_release_program(void) {
    long released = 0;
    if (clinux_maps_release) clinux_maps_release();
    dl_iterate_phdr(clinux_memory_release_object, &released);
    return released;
}

int clinux_memory_forbid_core(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) < 0) return -errno;
    limit.rlim_cur = 0;
    if (setrlimit(RLIMIT_CORE, &limit) < 0) return -errno;
    // Another user could no longer write its own /proc/self/uid_map, which sandboxed children need.
    if (geteuid() == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -errno;
    return 0;
}
