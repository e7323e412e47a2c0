#include "clinux_hash.h"

#if defined(__x86_64__) || (defined(__aarch64__) && defined(__ARM_NEON))

/// The constants of the 64 rounds, FIPS 180-4, 4.2.2.
static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#endif

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

static bool clinux_has_sha256(void) {
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

__attribute__((target("sha,sse4.1,ssse3"))) static void clinux_sha256_blocks(
    uint32_t *state, const uint8_t *block, size_t count) {
    const __m128i bytes = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    // The instructions take the words as (a, b, e, f) and (c, d, g, h), the first one in the highest place.
    __m128i dcba = _mm_loadu_si128((const __m128i *)state);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
    __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; count > 0; count--, block += 64) {
        const __m128i abefBefore = abef, cdghBefore = cdgh;
        __m128i words[4];
#pragma clang loop unroll(full)
        for (int turn = 0; turn < 16; turn++) {
            __m128i next;
            if (turn < 4) {
                next = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)block + turn), bytes);
            } else {
                const __m128i last = words[(turn + 3) & 3];
                next = _mm_sha256msg1_epu32(words[turn & 3], words[(turn + 1) & 3]);
                next = _mm_add_epi32(next, _mm_alignr_epi8(last, words[(turn + 2) & 3], 4));
                next = _mm_sha256msg2_epu32(next, last);
            }
            words[turn & 3] = next;
            const __m128i sums = _mm_add_epi32(next, _mm_load_si128((const __m128i *)constants + turn));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0e));
        }
        abef = _mm_add_epi32(abef, abefBefore);
        cdgh = _mm_add_epi32(cdgh, cdghBefore);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#elif defined(__aarch64__) && defined(__ARM_NEON)

#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

static bool clinux_has_sha256(void) { return (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0; }

__attribute__((target("sha2"))) static void clinux_sha256_blocks(
    uint32_t *state, const uint8_t *block, size_t count) {
    uint32x4_t abcd = vld1q_u32(state);
    uint32x4_t efgh = vld1q_u32(state + 4);
    for (; count > 0; count--, block += 64) {
        const uint32x4_t abcdBefore = abcd, efghBefore = efgh;
        uint32x4_t words[4];
#pragma clang loop unroll(full)
        for (int turn = 0; turn < 16; turn++) {
            uint32x4_t next;
            if (turn < 4) {
                next = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block + 16 * turn)));
            } else {
                next = vsha256su0q_u32(words[turn & 3], words[(turn + 1) & 3]);
                next = vsha256su1q_u32(next, words[(turn + 2) & 3], words[(turn + 3) & 3]);
            }
            words[turn & 3] = next;
            const uint32x4_t sums = vaddq_u32(next, vld1q_u32(constants + 4 * turn));
            const uint32x4_t abcdNow = abcd;
            abcd = vsha256hq_u32(abcd, efgh, sums);
            efgh = vsha256h2q_u32(efgh, abcdNow, sums);
        }
        abcd = vaddq_u32(abcd, abcdBefore);
        efgh = vaddq_u32(efgh, efghBefore);
    }
    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}

#else

static bool clinux_has_sha256(void) { return false; }

static void clinux_sha256_blocks(uint32_t *state, const uint8_t *block, size_t count) {
    (void)state, (void)block, (void)count;
}

#endif

bool clinux_sha256_compress(uint32_t *state, const uint8_t *blocks, size_t count) {
    // 0 until the processor was asked, 1 if it has the instructions, 2 if not.
    static _Atomic int known = 0;
    int answer = known;
    if (answer == 0) known = answer = clinux_has_sha256() ? 1 : 2;
    if (answer != 1) return false;
    clinux_sha256_blocks(state, blocks, count);
    return true;
}
