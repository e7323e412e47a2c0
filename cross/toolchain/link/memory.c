// Copies and compares bytes in place of musl, which compares one byte at a time, and on x86_64 copies with `rep movsq`,
// whose start takes longer than copying 32 bytes does. Most copies of a program are as short.
//
// Each short copy reads all of its bytes before it writes the first one, so the ranges may overlap.

#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error the order of words is that of a little-endian processor
#endif

typedef uint64_t __attribute__((aligned(1), may_alias)) word;

/// Returns the order of two words by their bytes in memory.
static int order(uint64_t left, uint64_t right) {
    return __builtin_bswap64(left) < __builtin_bswap64(right) ? -1 : 1;
}

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *l = left, *r = right;
    if (count < 8) {
        for (size_t i = 0; i < count; i++) {
            if (l[i] != r[i]) return l[i] - r[i];
        }
        return 0;
    }
    size_t i = 0;
    for (; i + 8 < count; i += 8) {
        uint64_t a = *(const word *)(l + i), b = *(const word *)(r + i);
        if (a != b) return order(a, b);
    }
    // The last word overlaps the one before it, whose bytes are equal.
    uint64_t a = *(const word *)(l + count - 8), b = *(const word *)(r + count - 8);
    return a == b ? 0 : order(a, b);
}

int bcmp(const void *left, const void *right, size_t count) { return memcmp(left, right, count); }

#if defined(__x86_64__)

typedef uint32_t __attribute__((aligned(1), may_alias)) half;
typedef uint16_t __attribute__((aligned(1), may_alias)) quarter;
typedef long long vector __attribute__((vector_size(16), aligned(1), may_alias));

/// The bytes of one turn of the loops.
enum { turn = 64 };

/// Copies at most 128 bytes; the ranges may overlap.
static inline __attribute__((always_inline)) void copy_short(unsigned char *to, const unsigned char *from, size_t n) {
    unsigned char *to_end = to + n;
    const unsigned char *end = from + n;
    if (n >= 16) {
        vector a = *(const vector *)from, b = *(const vector *)(end - 16);
        if (n > 32) {
            vector c = *(const vector *)(from + 16), d = *(const vector *)(end - 32);
            if (n > 64) {
                vector e = *(const vector *)(from + 32), f = *(const vector *)(from + 48);
                vector g = *(const vector *)(end - 64), h = *(const vector *)(end - 48);
                *(vector *)(to + 32) = e, *(vector *)(to + 48) = f;
                *(vector *)(to_end - 64) = g, *(vector *)(to_end - 48) = h;
            }
            *(vector *)(to + 16) = c, *(vector *)(to_end - 32) = d;
        }
        *(vector *)to = a, *(vector *)(to_end - 16) = b;
    } else if (n >= 8) {
        uint64_t a = *(const word *)from, b = *(const word *)(end - 8);
        *(word *)to = a, *(word *)(to_end - 8) = b;
    } else if (n >= 4) {
        uint32_t a = *(const half *)from, b = *(const half *)(end - 4);
        *(half *)to = a, *(half *)(to_end - 4) = b;
    } else if (n >= 2) {
        uint16_t a = *(const quarter *)from, b = *(const quarter *)(end - 2);
        *(quarter *)to = a, *(quarter *)(to_end - 2) = b;
    } else if (n == 1) {
        *to = *from;
    }
}

/// Copies 64 bytes; the ranges may overlap.
static inline __attribute__((always_inline)) void copy_turn(unsigned char *to, const unsigned char *from) {
    vector a = *(const vector *)from, b = *(const vector *)(from + 16);
    vector c = *(const vector *)(from + 32), d = *(const vector *)(from + 48);
    *(vector *)to = a, *(vector *)(to + 16) = b, *(vector *)(to + 32) = c, *(vector *)(to + 48) = d;
}

/// Copies more than 64 bytes forwards; the ranges may overlap if the bytes move down.
static void copy_forwards(unsigned char *to, const unsigned char *from, size_t n) {
    const unsigned char *end = from + n - turn;
    // The loop may write over the end before it is there.
    vector a = *(const vector *)end, b = *(const vector *)(end + 16);
    vector c = *(const vector *)(end + 32), d = *(const vector *)(end + 48);
    unsigned char *to_end = to + n - turn;
    for (; from < end; from += turn, to += turn) copy_turn(to, from);
    *(vector *)to_end = a, *(vector *)(to_end + 16) = b, *(vector *)(to_end + 32) = c, *(vector *)(to_end + 48) = d;
}

/// Copies more than 64 bytes backwards; the ranges may overlap if the bytes move up.
static void copy_backwards(unsigned char *to, const unsigned char *from, size_t n) {
    vector a = *(const vector *)from, b = *(const vector *)(from + 16);
    vector c = *(const vector *)(from + 32), d = *(const vector *)(from + 48);
    for (size_t left = n; left > turn; left -= turn) copy_turn(to + left - turn, from + left - turn);
    *(vector *)to = a, *(vector *)(to + 16) = b, *(vector *)(to + 32) = c, *(vector *)(to + 48) = d;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    if (count <= 2 * turn) {
        copy_short(to, from, count);
    } else {
        copy_forwards(to, from, count);
    }
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    if (count <= 2 * turn) {
        copy_short(to, from, count);
    } else if ((uintptr_t)to - (uintptr_t)from >= count) {
        copy_forwards(to, from, count);
    } else {
        copy_backwards(to, from, count);
    }
    return to;
}

#endif
