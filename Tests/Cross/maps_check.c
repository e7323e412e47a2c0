// Checks cross/toolchain/link/maps.c with a kernel that counts its calls: the file is compiled in here.

#include "../../cross/toolchain/link/maps.c"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long mapped, unmapped;
/// The number of next calls that the kernel refuses.
static int fails;

/// A block as `free` gets it.
struct block {
    void *start;
    size_t length;
};

void *__real___mmap(void *start, size_t length, int protection, int flags, int file, off_t offset) {
    __atomic_add_fetch(&mapped, 1, __ATOMIC_RELAXED);
    if (fails > 0 && fails--) return MAP_FAILED;
    return mmap(start, length, protection, flags, file, offset);
}

int __real_munmap(void *start, size_t length) {
    __atomic_add_fetch(&unmapped, 1, __ATOMIC_RELAXED);
    return munmap(start, length);
}

void __real___libc_free(void *block) {
    struct block *own = block;
    __wrap_munmap(own->start, own->length);
}

static void *map(size_t length) {
    return __wrap___mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void release_block(void *start, size_t length) { __wrap___libc_free(&(struct block){start, length}); }

static int is_zero(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (bytes[i]) return 0;
    }
    return 1;
}

static void require(int holds, const char *what) {
    if (holds) return;
    printf("%s\n", what);
    exit(1);
}

static void *churn(void *seed) {
    unsigned state = (unsigned)(size_t)seed;
    struct block own[16] = {0};
    for (int round = 0; round < 20000; round++) {
        state = state * 1664525 + 1013904223;
        struct block *one = &own[state >> 28];
        char *bytes = one->start;
        if (bytes) {
            require(bytes[0] == (char)(size_t)seed && bytes[one->length - 1] == bytes[0], "two threads had one mapping");
            release_block(one->start, one->length);
            one->start = NULL;
        } else {
            one->length = page * (1 + (state >> 8) % 6);
            bytes = one->start = map(one->length);
            require(bytes != MAP_FAILED && is_zero(bytes, one->length), "a thread got a mapping that was not zero");
            bytes[0] = bytes[one->length - 1] = (char)(size_t)seed;
        }
    }
    return NULL;
}

int main(void) {
    char *first = map(2 * page);
    memset(first, 7, 2 * page);
    release_block(first, 2 * page);
    require(mapped == 1 && unmapped == 0, "a block that was freed was unmapped");
    require(map(page) != first, "a mapping of another length was given out");
    char *again = map(2 * page);
    require(total == 0, "a mapping that was given out counts as kept");
    require(again == first && mapped == 2 && is_zero(again, 2 * page), "the mapping was not given out again, as zeros");

    __wrap_munmap(again, 2 * page);
    require(unmapped == 1, "a mapping was kept that free had not returned");
    char *large = map((largest + 1) * page);
    release_block(large, (largest + 1) * page);
    require(unmapped == 2, "a large block was kept");
    char *small = map(page);
    release_block(small, page);
    long before = mapped;
    void *readable = __wrap___mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(readable != small && mapped == before + 1, "a mapping that is only read came from those of free");
    void *fixed = __wrap___mmap(readable, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    require(fixed == readable && mapped == before + 2, "a mapping at a fixed address came from those of free");

    enum { count = 2 * limit / (4 * page) };
    void *all[count];
    for (int i = 0; i < count; i++) all[i] = map(4 * page);
    for (int i = 0; i < count; i++) release_block(all[i], 4 * page);
    require(total <= limit && total > 0, "more was kept than the limit");
    require(mapped - unmapped <= 3 + limit / page, "mappings were lost");
    clinux_maps_release();
    require(total == 0 && mapped - unmapped == 3, "not all was unmapped");

    small = map(page);
    release_block(small, page);
    fails = 1;
    require(map(2 * page) != MAP_FAILED && total == 0, "what was kept was not returned when memory was short");
    fails = 1;
    require(map(2 * page) == MAP_FAILED, "a mapping was made that the kernel refused");

    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
    for (size_t i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    require(mapped < 4 * 20000 / 4, "few mappings were given out again");
    return 0;
}
