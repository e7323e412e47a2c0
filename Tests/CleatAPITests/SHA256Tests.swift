import CleatAPI
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    /// FIPS 180-4 examples and the empty and million-byte messages of NIST's short and long vectors.
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
                "a", 1_000_000,
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func vectors(message: String, times: Int, digest: String) {
        #expect(SHA256.hexadecimal(of: String(repeating: message, count: times).utf8) == digest)
    }

    @Test("does not depend on how the message is cut", arguments: [55, 56, 63, 64, 65, 119, 120, 128])
    func cuts(length: Int) {
        let message = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        for cut in 0...length {
            var digest = SHA256()
            digest.update(message[..<cut])
            digest.update(message[cut...])
            var whole = SHA256()
            whole.update(message)
            #expect(digest.finish() == whole.finish())
        }
    }
}
