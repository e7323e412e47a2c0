// Keeps small mappings that the allocator of musl returns, and gives them out again.
//
// musl unmaps a group of blocks with its last block, and maps it again for the next: a program that allocates and frees in
// turns, as each answer does, spends half of its time in mmap(2), munmap(2) and page faults. `free` sets a mark while it
// runs, so that nothing else, such as the stack of a thread or a mapped file, is ever kept.

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

extern void *__real___mmap(void *start, size_t length, int protection, int flags, int file, off_t offset);
extern int __real_munmap(void *start, size_t length);
extern void __real___libc_free(void *block);

enum {
    page = 4096,
    /// The pages of the largest mapping that is kept; musl maps each block from 128 KB on by itself.
    largest = 32,
    /// The bytes that are kept at most.
    limit = 1 << 20,
};

/// The first bytes of a kept mapping.
struct kept {
    struct kept *next;
};

/// The kept mappings by their pages, the last one first.
static struct kept *kept[largest + 1];
static size_t total;
static char lock;
static _Thread_local char freeing;

/// Takes the lock if it is free; a thread that would have to wait asks the kernel instead.
static int try_lock(void) { return !__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE); }

static void unlock(void) { __atomic_clear(&lock, __ATOMIC_RELEASE); }

static int is_small(size_t length) { return length != 0 && length <= largest * page && length % page == 0; }

/// Unmaps what is kept; the caller has the lock.
static void release(void) {
    for (size_t pages = 1; pages <= largest; pages++) {
        while (kept[pages]) {
            struct kept *first = kept[pages];
            kept[pages] = first->next;
            __real_munmap(first, pages * page);
        }
    }
    total = 0;
}

/// Unmaps what is kept: for a program that has nothing to do.
void clinux_maps_release(void) {
    if (!try_lock()) return;
    release();
    unlock();
}

void *__wrap___mmap(void *start, size_t length, int protection, int flags, int file, off_t offset) {
    if (start == NULL && protection == (PROT_READ | PROT_WRITE) && flags == (MAP_PRIVATE | MAP_ANONYMOUS) && file == -1
        && is_small(length) && try_lock()) {
        struct kept *found = kept[length / page];
        if (found) {
            kept[length / page] = found->next;
            total -= length;
        }
        unlock();
        // New mappings are zero, and calloc relies on it.
        if (found) return memset(found, 0, length);
    }
    void *new = __real___mmap(start, length, protection, flags, file, offset);
    if (new != MAP_FAILED || !total) return new;
    // What is kept may be what the kernel lacks.
    clinux_maps_release();
    return __real___mmap(start, length, protection, flags, file, offset);
}

int __wrap_munmap(void *start, size_t length) {
    if (freeing && is_small(length) && try_lock()) {
        // Sizes that are not used any more must not stay for ever.
        if (total + length > limit) release();
        struct kept *new = start;
        new->next = kept[length / page];
        kept[length / page] = new;
        total += length;
        unlock();
        return 0;
    }
    return __real_munmap(start, length);
}

void __wrap___libc_free(void *block) {
    freeing = 1;
    __real___libc_free(block);
    freeing = 0;
}
