import CleatTestSupport
import Testing

@testable import CleatHash

@Suite("SHA-256", .tags(.board))
struct SHA256Tests {
    /// FIPS 180-4 examples and messages of NIST's short and long vectors.
    @Test(
        "agrees with NIST's vectors",
        arguments: [
            ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                    + "mnopqrstnopqrstu", 1,
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
            (
                "a", 1_000_000,
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func vectors(message: String, times: Int, digest: String) {
        #expect(SHA256.hexadecimal(of: String(repeating: message, count: times).utf8) == digest)
    }

    @Test("does not depend on how a short message is cut in two", arguments: [55, 56, 63, 64, 65, 119, 120, 128])
    func cuts(length: Int) {
        let message = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        var whole = SHA256()
        whole.update(message)
        let expected = whole.finalize()
        for cut in 0...length {
            var digest = SHA256()
            digest.update(message[..<cut])
            digest.update(message[cut...])
            #expect(digest.count == UInt64(length))
            #expect(digest.finalize() == expected)
        }
    }

    @Test("does not depend on how a message is cut in many", arguments: 1...20)
    func manyCuts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let message = random.bytes(Int.random(in: 0...2000, using: &random))
        let expected = SHA256.hexadecimal(of: message)
        for _ in 0..<50 {
            var digest = SHA256()
            var rest = message[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 0...200, using: &random))
                // By storage and without: a sequence that has none is copied.
                if Bool.random(using: &random) { digest.update(piece) } else { digest.update(AnySequence(piece)) }
                rest = rest.dropFirst(piece.count)
            }
            #expect(SHA256.hexadecimal(digest.finalize()) == expected)
        }
    }

    /// On a processor with instructions for it, only this runs the portable code.
    @Test("the processor's instructions and the portable code agree", arguments: [1, 2, 3, 17])
    func instructions(blocks: Int) {
        var random = SeededGenerator(seed: UInt64(blocks))
        // One byte more in front: the blocks need no alignment.
        let message = random.bytes(blocks * 64 + 1)
        var (chosen, portable) = (SHA256State(), SHA256State())
        unsafe message.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress! + 1
            unsafe chosen.compress(start, blocks: blocks)
            unsafe portable.compressPortably(start, blocks: blocks)
        }
        #expect(chosen.bytes == portable.bytes)
        #expect(chosen.bytes != SHA256State().bytes)
    }

    @Test("a copy continues by itself")
    func values() {
        var first = SHA256()
        first.update(Array("ab".utf8))
        var second = first
        second.update(Array("c".utf8))
        first.update(Array("x".utf8))
        #expect(SHA256.hexadecimal(second.finalize()) == SHA256.hexadecimal(of: "abc".utf8))
        #expect(SHA256.hexadecimal(first.finalize()) == SHA256.hexadecimal(of: "abx".utf8))
    }

    @Test("reads the digits of a digest and nothing else")
    func digits() {
        let text = SHA256.hexadecimal(of: "abc".utf8)
        #expect(SHA256.digest(hexadecimal: text).map { SHA256.hexadecimal($0) } == text)
        #expect(SHA256.digest(hexadecimal: text.uppercased()).map { SHA256.hexadecimal($0) } == text)
        for bad in [
            "", String(text.dropLast()), text + "0", String(text.dropLast()) + "g", String(text.dropLast()) + "é",
        ] {
            #expect(SHA256.digest(hexadecimal: bad) == nil)
        }
    }
}
