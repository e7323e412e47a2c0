import CleatSettings
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

    @Test("Written text is read back, whatever the bytes (seed 64)") func roundTrip() throws {
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

    /// Reads base64 as RFC 4648 describes it, bit by bit and with nothing of the reader's own; nil where it is refused.
    private static func plainly(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let letters = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.count - letters.count
        guard padding <= 2, text.suffix(padding).allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
        var bits: [Bool] = []
        for letter in letters {
            let value: UInt8
            switch Character(Unicode.Scalar(letter)) {
            case "A"..."Z" where letter < 0x80: value = letter - UInt8(ascii: "A")
            case "a"..."z" where letter < 0x80: value = letter - UInt8(ascii: "a") + 26
            case "0"..."9" where letter < 0x80: value = letter - UInt8(ascii: "0") + 52
            case "+": value = 62
            case "/": value = 63
            default: return nil
            }
            bits += (0..<6).reversed().map { value >> UInt8($0) & 1 == 1 }
        }
        let whole = bits.count / 8 * 8
        // What no byte holds has to be 0, and less than a letter.
        guard bits.count - whole < 6, !bits[whole...].contains(true), letters.count % 4 == (4 - padding) % 4 else {
            return nil
        }
        return stride(from: 0, to: whole, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }

    /// Texts that are nearly base64: good ones, with a few bytes exchanged, put in, or taken out.
    @Test(
        "Any text is read as by another reader, or refused",
        arguments: TestMachine.seeds(16, briefly: 2))
    func readsAsAnotherReader(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let nasty = Array("=+/-_ \n\r\t\0\u{7f}AZaz09".utf8) + [0x80, 0xc3, 0xff]
        var (taken, refused) = (0, 0)
        for _ in 0..<TestMachine.rounds(1500, briefly: 600) {
            let bytes = generator.bytes(Int.random(in: 0...70, using: &generator))
            var text = Array(Base64.encode(bytes).utf8)
            #expect(Self.plainly(text) == bytes)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 0...text.count, using: &generator)
                let byte = nasty.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0..<3, using: &generator) {
                case 0 where place < text.count: text[place] = byte
                case 1 where place < text.count: text.remove(at: place)
                default: text.insert(byte, at: place)
                }
            }
            // A text that is no UTF-8 never comes so far: the JSON reader refuses it. It is repaired here.
            let shown = String(decoding: text, as: UTF8.self)
            let expected = Self.plainly(Array(shown.utf8))
            #expect(Base64.decode(shown) == expected, "\(shown.debugDescription)")
            if expected == nil { refused += 1 } else { taken += 1 }
        }
        #expect(taken > 100 && refused > 100, "\(taken), \(refused)")
    }

    /// Every last group there can be: each letter, or padding, at each of its places.
    @Test func everyLastGroupIsReadAsAnotherReaderDoesIt() {
        let all = (0..<128).map { UInt8($0) }
        let some = Array((TestMachine.slowness > 1 ? "Aw=" : "AQgw/+9=\0 ").utf8)
        for prefix in ["", "AAAA"] {
            for place in 0..<4 {
                for byte in all {
                    for one in some {
                        for other in some {
                            var group = [UInt8(ascii: "B"), one, other, one]
                            group[place] = byte
                            let text = Array(prefix.utf8) + group
                            #expect(
                                Base64.decode(String(decoding: text, as: UTF8.self)) == Self.plainly(text), "\(text)")
                        }
                    }
                }
            }
        }
    }

    /// A text whose storage is not its own UTF-8 is read all the same.
    @Test func aPartOfATextIsRead() {
        let text = "xxZm9vYmFyyy"
        #expect(Base64.decode(String(text.dropFirst(2).dropLast(2))) == Array("foobar".utf8))
    }
}
