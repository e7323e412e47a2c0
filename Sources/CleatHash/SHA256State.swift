import CLinux

/// The eight words of a SHA-256 digest, and the compression of whole blocks into them.
///
/// The rounds are unrolled, sixteen at a time, with their words in variables of their own: a loop over an array would
/// check its bounds and move eight words in every round.
struct SHA256State: Sendable {
    private var a: UInt32 = 0x6a09_e667
    private var b: UInt32 = 0xbb67_ae85
    private var c: UInt32 = 0x3c6e_f372
    private var d: UInt32 = 0xa54f_f53a
    private var e: UInt32 = 0x510e_527f
    private var f: UInt32 = 0x9b05_688c
    private var g: UInt32 = 0x1f83_d9ab
    private var h: UInt32 = 0x5be0_cd19

    /// The words as big-endian bytes.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(SHA256.digestBytes)
        func append(_ word: UInt32) {
            bytes.append(UInt8(truncatingIfNeeded: word >> 24))
            bytes.append(UInt8(truncatingIfNeeded: word >> 16))
            bytes.append(UInt8(truncatingIfNeeded: word >> 8))
            bytes.append(UInt8(truncatingIfNeeded: word))
        }
        append(a)
        append(b)
        append(c)
        append(d)
        append(e)
        append(f)
        append(g)
        append(h)
        return bytes
    }

    /// Compresses `blocks` blocks of 64 bytes each that start at `start`, aligned or not.
    ///
    /// The processor's own instructions do it if it has any.
    mutating func compress(_ start: UnsafeRawPointer, blocks: Int) {
        let bytes = unsafe start.assumingMemoryBound(to: UInt8.self)
        let isDone = unsafe withUnsafeMutableBytes(of: &self) { words in
            // The eight words are all that a state is.
            guard let words = unsafe words.assumingMemoryBound(to: UInt32.self).baseAddress else { return false }
            return unsafe clinux_sha256_compress(words, bytes, blocks)
        }
        if !isDone { unsafe compressPortably(start, blocks: blocks) }
    }

    /// Compresses blocks without instructions of the processor for it.
    mutating func compressPortably(_ start: UnsafeRawPointer, blocks: Int) {
        for block in 0..<blocks { unsafe compress(start + block * 64) }
    }

    private mutating func compress(_ block: UnsafeRawPointer) {
        var (a, b, c, d, e, f, g, h) = (a, b, c, d, e, f, g, h)
        var w0 = unsafe Self.word(block, 0)
        var w1 = unsafe Self.word(block, 1)
        var w2 = unsafe Self.word(block, 2)
        var w3 = unsafe Self.word(block, 3)
        var w4 = unsafe Self.word(block, 4)
        var w5 = unsafe Self.word(block, 5)
        var w6 = unsafe Self.word(block, 6)
        var w7 = unsafe Self.word(block, 7)
        var w8 = unsafe Self.word(block, 8)
        var w9 = unsafe Self.word(block, 9)
        var w10 = unsafe Self.word(block, 10)
        var w11 = unsafe Self.word(block, 11)
        var w12 = unsafe Self.word(block, 12)
        var w13 = unsafe Self.word(block, 13)
        var w14 = unsafe Self.word(block, 14)
        var w15 = unsafe Self.word(block, 15)
        Self.round(a, b, c, &d, e, f, g, &h, 0x428a_2f98 &+ w0)
        Self.round(h, a, b, &c, d, e, f, &g, 0x7137_4491 &+ w1)
        Self.round(g, h, a, &b, c, d, e, &f, 0xb5c0_fbcf &+ w2)
        Self.round(f, g, h, &a, b, c, d, &e, 0xe9b5_dba5 &+ w3)
        Self.round(e, f, g, &h, a, b, c, &d, 0x3956_c25b &+ w4)
        Self.round(d, e, f, &g, h, a, b, &c, 0x59f1_11f1 &+ w5)
        Self.round(c, d, e, &f, g, h, a, &b, 0x923f_82a4 &+ w6)
        Self.round(b, c, d, &e, f, g, h, &a, 0xab1c_5ed5 &+ w7)
        Self.round(a, b, c, &d, e, f, g, &h, 0xd807_aa98 &+ w8)
        Self.round(h, a, b, &c, d, e, f, &g, 0x1283_5b01 &+ w9)
        Self.round(g, h, a, &b, c, d, e, &f, 0x2431_85be &+ w10)
        Self.round(f, g, h, &a, b, c, d, &e, 0x550c_7dc3 &+ w11)
        Self.round(e, f, g, &h, a, b, c, &d, 0x72be_5d74 &+ w12)
        Self.round(d, e, f, &g, h, a, b, &c, 0x80de_b1fe &+ w13)
        Self.round(c, d, e, &f, g, h, a, &b, 0x9bdc_06a7 &+ w14)
        Self.round(b, c, d, &e, f, g, h, &a, 0xc19b_f174 &+ w15)
        Self.extend(&w0, w1, w9, w14)
        Self.round(a, b, c, &d, e, f, g, &h, 0xe49b_69c1 &+ w0)
        Self.extend(&w1, w2, w10, w15)
        Self.round(h, a, b, &c, d, e, f, &g, 0xefbe_4786 &+ w1)
        Self.extend(&w2, w3, w11, w0)
        Self.round(g, h, a, &b, c, d, e, &f, 0x0fc1_9dc6 &+ w2)
        Self.extend(&w3, w4, w12, w1)
        Self.round(f, g, h, &a, b, c, d, &e, 0x240c_a1cc &+ w3)
        Self.extend(&w4, w5, w13, w2)
        Self.round(e, f, g, &h, a, b, c, &d, 0x2de9_2c6f &+ w4)
        Self.extend(&w5, w6, w14, w3)
        Self.round(d, e, f, &g, h, a, b, &c, 0x4a74_84aa &+ w5)
        Self.extend(&w6, w7, w15, w4)
        Self.round(c, d, e, &f, g, h, a, &b, 0x5cb0_a9dc &+ w6)
        Self.extend(&w7, w8, w0, w5)
        Self.round(b, c, d, &e, f, g, h, &a, 0x76f9_88da &+ w7)
        Self.extend(&w8, w9, w1, w6)
        Self.round(a, b, c, &d, e, f, g, &h, 0x983e_5152 &+ w8)
        Self.extend(&w9, w10, w2, w7)
        Self.round(h, a, b, &c, d, e, f, &g, 0xa831_c66d &+ w9)
        Self.extend(&w10, w11, w3, w8)
        Self.round(g, h, a, &b, c, d, e, &f, 0xb003_27c8 &+ w10)
        Self.extend(&w11, w12, w4, w9)
        Self.round(f, g, h, &a, b, c, d, &e, 0xbf59_7fc7 &+ w11)
        Self.extend(&w12, w13, w5, w10)
        Self.round(e, f, g, &h, a, b, c, &d, 0xc6e0_0bf3 &+ w12)
        Self.extend(&w13, w14, w6, w11)
        Self.round(d, e, f, &g, h, a, b, &c, 0xd5a7_9147 &+ w13)
        Self.extend(&w14, w15, w7, w12)
        Self.round(c, d, e, &f, g, h, a, &b, 0x06ca_6351 &+ w14)
        Self.extend(&w15, w0, w8, w13)
        Self.round(b, c, d, &e, f, g, h, &a, 0x1429_2967 &+ w15)
        Self.extend(&w0, w1, w9, w14)
        Self.round(a, b, c, &d, e, f, g, &h, 0x27b7_0a85 &+ w0)
        Self.extend(&w1, w2, w10, w15)
        Self.round(h, a, b, &c, d, e, f, &g, 0x2e1b_2138 &+ w1)
        Self.extend(&w2, w3, w11, w0)
        Self.round(g, h, a, &b, c, d, e, &f, 0x4d2c_6dfc &+ w2)
        Self.extend(&w3, w4, w12, w1)
        Self.round(f, g, h, &a, b, c, d, &e, 0x5338_0d13 &+ w3)
        Self.extend(&w4, w5, w13, w2)
        Self.round(e, f, g, &h, a, b, c, &d, 0x650a_7354 &+ w4)
        Self.extend(&w5, w6, w14, w3)
        Self.round(d, e, f, &g, h, a, b, &c, 0x766a_0abb &+ w5)
        Self.extend(&w6, w7, w15, w4)
        Self.round(c, d, e, &f, g, h, a, &b, 0x81c2_c92e &+ w6)
        Self.extend(&w7, w8, w0, w5)
        Self.round(b, c, d, &e, f, g, h, &a, 0x9272_2c85 &+ w7)
        Self.extend(&w8, w9, w1, w6)
        Self.round(a, b, c, &d, e, f, g, &h, 0xa2bf_e8a1 &+ w8)
        Self.extend(&w9, w10, w2, w7)
        Self.round(h, a, b, &c, d, e, f, &g, 0xa81a_664b &+ w9)
        Self.extend(&w10, w11, w3, w8)
        Self.round(g, h, a, &b, c, d, e, &f, 0xc24b_8b70 &+ w10)
        Self.extend(&w11, w12, w4, w9)
        Self.round(f, g, h, &a, b, c, d, &e, 0xc76c_51a3 &+ w11)
        Self.extend(&w12, w13, w5, w10)
        Self.round(e, f, g, &h, a, b, c, &d, 0xd192_e819 &+ w12)
        Self.extend(&w13, w14, w6, w11)
        Self.round(d, e, f, &g, h, a, b, &c, 0xd699_0624 &+ w13)
        Self.extend(&w14, w15, w7, w12)
        Self.round(c, d, e, &f, g, h, a, &b, 0xf40e_3585 &+ w14)
        Self.extend(&w15, w0, w8, w13)
        Self.round(b, c, d, &e, f, g, h, &a, 0x106a_a070 &+ w15)
        Self.extend(&w0, w1, w9, w14)
        Self.round(a, b, c, &d, e, f, g, &h, 0x19a4_c116 &+ w0)
        Self.extend(&w1, w2, w10, w15)
        Self.round(h, a, b, &c, d, e, f, &g, 0x1e37_6c08 &+ w1)
        Self.extend(&w2, w3, w11, w0)
        Self.round(g, h, a, &b, c, d, e, &f, 0x2748_774c &+ w2)
        Self.extend(&w3, w4, w12, w1)
        Self.round(f, g, h, &a, b, c, d, &e, 0x34b0_bcb5 &+ w3)
        Self.extend(&w4, w5, w13, w2)
        Self.round(e, f, g, &h, a, b, c, &d, 0x391c_0cb3 &+ w4)
        Self.extend(&w5, w6, w14, w3)
        Self.round(d, e, f, &g, h, a, b, &c, 0x4ed8_aa4a &+ w5)
        Self.extend(&w6, w7, w15, w4)
        Self.round(c, d, e, &f, g, h, a, &b, 0x5b9c_ca4f &+ w6)
        Self.extend(&w7, w8, w0, w5)
        Self.round(b, c, d, &e, f, g, h, &a, 0x682e_6ff3 &+ w7)
        Self.extend(&w8, w9, w1, w6)
        Self.round(a, b, c, &d, e, f, g, &h, 0x748f_82ee &+ w8)
        Self.extend(&w9, w10, w2, w7)
        Self.round(h, a, b, &c, d, e, f, &g, 0x78a5_636f &+ w9)
        Self.extend(&w10, w11, w3, w8)
        Self.round(g, h, a, &b, c, d, e, &f, 0x84c8_7814 &+ w10)
        Self.extend(&w11, w12, w4, w9)
        Self.round(f, g, h, &a, b, c, d, &e, 0x8cc7_0208 &+ w11)
        Self.extend(&w12, w13, w5, w10)
        Self.round(e, f, g, &h, a, b, c, &d, 0x90be_fffa &+ w12)
        Self.extend(&w13, w14, w6, w11)
        Self.round(d, e, f, &g, h, a, b, &c, 0xa450_6ceb &+ w13)
        Self.extend(&w14, w15, w7, w12)
        Self.round(c, d, e, &f, g, h, a, &b, 0xbef9_a3f7 &+ w14)
        Self.extend(&w15, w0, w8, w13)
        Self.round(b, c, d, &e, f, g, h, &a, 0xc671_78f2 &+ w15)
        self.a &+= a
        self.b &+= b
        self.c &+= c
        self.d &+= d
        self.e &+= e
        self.f &+= f
        self.g &+= g
        self.h &+= h
    }

    @inline(__always)
    private static func word(_ block: UnsafeRawPointer, _ index: Int) -> UInt32 {
        UInt32(bigEndian: unsafe block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
    }

    /// Computes the word of the message schedule sixteen places later.
    @inline(__always)
    private static func extend(_ word: inout UInt32, _ early: UInt32, _ middle: UInt32, _ late: UInt32) {
        let first = rotate(early, 7) ^ rotate(early, 18) ^ (early >> 3)
        let second = rotate(late, 17) ^ rotate(late, 19) ^ (late >> 10)
        word = word &+ first &+ middle &+ second
    }

    /// Does one round; the caller renames the words instead of moving them.
    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
        _ h: inout UInt32, _ word: UInt32
    ) {
        h = h &+ word &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ (g ^ (e & (f ^ g)))
        d = d &+ h
        h = h &+ (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ ((a & b) | (c & (a | b)))
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &>> count | word &<< (32 &- count)
    }
}
