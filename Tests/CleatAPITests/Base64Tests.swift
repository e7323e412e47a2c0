import CleatAPI
import CleatTestSupport
import Testing

@Suite struct Base64Tests {
    /// The examples of RFC 4648, section 10, and the two letters that differ between alphabets.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]) func examples(_ bytes: String, _ text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
        #expect(Base64.decode(text) == Array(bytes.utf8))
    }

    @Test func usesTheStandardAlphabet() {
        #expect(Base64.encode([0xfb, 0xff, 0xfe]) == "+//+")
        #expect(Base64.encode([0xfb, 0xff, 0xfe][1...]) == "//4=")
        #expect(Base64.encode(CollectionOfOne(0)) == "AA==")
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "=", "==", "===", "====", "Z===", "Zg==Zg==", "Zm9=", "Zh==", "Zm9v\n", "Zm 9",
        "Zm9v ",
        "-__-", "Zm9\u{0}", "Zmä=", "Z=9v", "=m9v", "Zm=v", "Zm9v====",
    ]) func refuses(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("What is written is read back, whatever the bytes (seed 64)") func roundTrip() throws {
        var generator = SeededGenerator(seed: 64)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let text = Base64.encode(bytes)
            #expect(text.utf8.count == (length + 2) / 3 * 4)
            #expect(Base64.decode(text) == bytes)
            guard length > 0 else { continue }
            // One letter that is none, anywhere, is noticed.
            var broken = Array(text.utf8)
            broken[Int.random(in: 0..<broken.count, using: &generator)] = UInt8(ascii: "!")
            #expect(Base64.decode(String(decoding: broken, as: UTF8.self)) == nil)
        }
    }
}
