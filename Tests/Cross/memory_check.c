// Checks cross/toolchain/link/memory.c byte by byte: the file is compiled in here under other names.

#define memcpy checked_memcpy
#define memmove checked_memmove
#define memcmp checked_memcmp
#define bcmp checked_bcmp
#include "../../cross/toolchain/link/memory.c"

#include <stdio.h>
#include <stdlib.h>

#if !defined(__x86_64__)
// The C library's own.
#undef memcpy
#undef memmove
#include <string.h>
#endif

enum { space = 4096 * 3 };
static unsigned char start[space], found[space], wanted[space];

static void fill(void) {
    for (size_t i = 0; i < space; i++) start[i] = found[i] = wanted[i] = (unsigned char)(i * 131 + (i >> 8) * 7);
}

static void compare(const char *what, size_t count, size_t to, size_t from) {
    for (size_t i = 0; i < space; i++) {
        if (found[i] == wanted[i]) continue;
        printf("%s of %zu bytes from %zu to %zu: wrong at %zu\n", what, count, from, to, i);
        exit(1);
    }
}

static void check_copies(size_t count, size_t to, size_t from) {
    fill();
    for (size_t i = 0; i < count; i++) wanted[to + i] = start[from + i];
    if (memmove(found + to, found + from, count) != found + to) exit(2);
    compare("memmove", count, to, from);
    fill();
    for (size_t i = 0; i < count; i++) wanted[to + i] = start[from + i];
    if (memcpy(found + to, start + from, count) != found + to) exit(2);
    compare("memcpy", count, to, from);
}

static void check_orders(size_t count, size_t to, size_t from) {
    for (size_t i = 0; i < space; i++) found[i] = wanted[i] = (unsigned char)(i & 3);
    for (size_t i = 0; i < count; i++) found[to + i] = wanted[from + i];
    // The bytes before and behind do not count.
    found[to + count] = 200;
    if (to) found[to - 1] = 200;
    int equal = memcmp(found + to, wanted + from, count) || bcmp(found + to, wanted + from, count);
    for (size_t i = 0; i < count && !equal; i++) {
        unsigned char kept = found[to + i];
        found[to + i] = 0x81;
        int greater = memcmp(found + to, wanted + from, count), less = memcmp(wanted + from, found + to, count);
        // A later difference in the other direction does not count.
        if (i + 1 < count) wanted[from + count - 1] ^= 0xff;
        int still = memcmp(found + to, wanted + from, count);
        if (i + 1 < count) wanted[from + count - 1] ^= 0xff;
        if (greater <= 0 || less >= 0 || still <= 0 || !bcmp(found + to, wanted + from, count)) equal = 1;
        found[to + i] = kept;
    }
    if (equal) printf("memcmp of %zu bytes at %zu and %zu\n", count, to, from), exit(1);
}

int main(void) {
    // Every short length at every small distance, in both directions.
    for (size_t count = 0; count <= 270; count++) {
        for (size_t distance = 0; distance <= 140; distance += count > 140 ? 7 : 3) {
            check_copies(count, 300 + distance, 300);
            check_copies(count, 300, 300 + distance);
        }
    }
    for (size_t count = 1000; count <= 4200; count += 533) {
        for (size_t distance = 0; distance <= 4300; distance += 211) {
            check_copies(count, 300 + distance, 300);
            check_copies(count, 300, 300 + distance);
        }
    }
    for (size_t count = 0; count <= 80; count++) {
        for (size_t shift = 0; shift < 9; shift++) check_orders(count, 16 + shift, 16), check_orders(count, 0, shift);
    }
    return 0;
}
