/// A script as its Unicode blocks, without unassigned scalars and common signs.
///
/// The standard library has no scripts. The blocks give the letters, marks and digits of a script. Signs outside of
/// them, or ones that several scripts share, may be classified otherwise than in Unicode's own list.
struct Script: Sendable {
    private let ranges: [ClosedRange<UInt32>]
    /// True if only letters and marks count: the blocks contain signs that all scripts use.
    private let lettersOnly: Bool

    private init(_ ranges: [ClosedRange<UInt32>], lettersOnly: Bool = true) {
        self.ranges = ranges
        self.lettersOnly = lettersOnly
    }

    /// Finds a script by its long name or by the four letters of ISO 15924.
    init?(_ name: String) {
        switch name {
        case "Latin", "Latn": self = .latin
        case "Greek", "Grek": self = .greek
        case "Cyrillic", "Cyrl": self = .cyrillic
        case "Armenian", "Armn": self = Script([0x531...0x58F, 0xFB13...0xFB17])
        case "Hebrew", "Hebr": self = .hebrew
        case "Arabic", "Arab": self = .arabic
        case "Devanagari", "Deva":
            self = Script([0x900...0x950, 0x955...0x963, 0x966...0x97F, 0xA8E0...0xA8FF], lettersOnly: false)
        case "Bengali", "Beng": self = Script([0x980...0x9FE], lettersOnly: false)
        case "Gurmukhi", "Guru": self = Script([0xA01...0xA76], lettersOnly: false)
        case "Gujarati", "Gujr": self = Script([0xA81...0xAFF], lettersOnly: false)
        case "Tamil", "Taml": self = Script([0xB82...0xBFA], lettersOnly: false)
        case "Telugu", "Telu": self = Script([0xC00...0xC7F], lettersOnly: false)
        case "Kannada", "Knda": self = Script([0xC80...0xCF3], lettersOnly: false)
        case "Malayalam", "Mlym": self = Script([0xD00...0xD7F], lettersOnly: false)
        case "Sinhala", "Sinh": self = Script([0xD81...0xDF4], lettersOnly: false)
        case "Thai": self = Script([0xE01...0xE3A, 0xE40...0xE5B], lettersOnly: false)
        case "Lao", "Laoo": self = Script([0xE81...0xEDF], lettersOnly: false)
        case "Tibetan", "Tibt": self = Script([0xF00...0xFD4, 0xFD9...0xFDA], lettersOnly: false)
        case "Georgian", "Geor": self = Script([0x10A0...0x10FA, 0x10FC...0x10FF, 0x1C90...0x1CBF, 0x2D00...0x2D2D])
        case "Ethiopic", "Ethi": self = Script([0x1200...0x139F, 0x2D80...0x2DDE, 0xAB01...0xAB2E], lettersOnly: false)
        case "Khmer", "Khmr": self = Script([0x1780...0x17F9, 0x19E0...0x19FF], lettersOnly: false)
        case "Hiragana", "Hira": self = .hiragana
        case "Katakana", "Kana": self = .katakana
        case "Han", "Hani": self = .han
        case "Hangul", "Hang":
            self = Script([
                0x1100...0x11FF, 0x302E...0x302F, 0x3131...0x318E, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xD7B0...0xD7FB,
                0xFFA0...0xFFDC,
            ])
        default: return nil
        }
    }

    static let latin = Script([
        0x41...0x5A, 0x61...0x7A, 0xAA...0xAA, 0xBA...0xBA, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2B8, 0x2E0...0x2E4,
        0x1D00...0x1D25, 0x1D2C...0x1D5C, 0x1D62...0x1D65, 0x1D6B...0x1D77, 0x1D79...0x1DBE, 0x1E00...0x1EFF,
        0x2071...0x2071, 0x207F...0x207F, 0x2090...0x209C, 0x212A...0x212B, 0x2132...0x2132, 0x214E...0x214E,
        0x2C60...0x2C7F, 0xA722...0xA787, 0xA78B...0xA7FF, 0xAB30...0xAB5A, 0xAB5C...0xAB64, 0xFB00...0xFB06,
        0xFF21...0xFF3A, 0xFF41...0xFF5A,
    ])
    static let greek = Script(
        [
            0x370...0x373, 0x375...0x377, 0x37A...0x37D, 0x37F...0x37F, 0x384...0x384, 0x386...0x386, 0x388...0x3E1,
            0x3F0...0x3FF, 0x1D26...0x1D2A, 0x1F00...0x1FFE, 0x2126...0x2126,
        ], lettersOnly: false)
    static let cyrillic = Script(
        [0x400...0x484, 0x487...0x52F, 0x1C80...0x1C88, 0x1D2B...0x1D2B, 0x2DE0...0x2DFF, 0xA640...0xA69F],
        lettersOnly: false)
    static let hebrew = Script([0x591...0x5F4, 0xFB1D...0xFB4F], lettersOnly: false)
    static let arabic = Script(
        [
            0x600...0x604, 0x606...0x60B, 0x60D...0x61A, 0x61C...0x61E, 0x620...0x63F, 0x641...0x64A, 0x656...0x66F,
            0x671...0x6DC, 0x6DE...0x6FF, 0x750...0x77F, 0x870...0x8FF, 0xFB50...0xFD3D, 0xFD50...0xFDFF,
            0xFE70...0xFEFC,
        ], lettersOnly: false)
    static let hiragana = Script(
        [0x3041...0x3096, 0x309D...0x309F, 0x1B001...0x1B11F, 0x1F200...0x1F200], lettersOnly: false)
    static let katakana = Script(
        [
            0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF, 0x32D0...0x32FE, 0x3300...0x3357, 0xFF66...0xFF6F,
            0xFF71...0xFF9D, 0x1B000...0x1B000,
        ], lettersOnly: false)
    static let han = Script(
        [
            0x2E80...0x2FD5, 0x3005...0x3005, 0x3007...0x3007, 0x3021...0x3029, 0x3038...0x303B, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xF900...0xFAD9, 0x20000...0x323AF,
        ], lettersOnly: false)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        guard ranges.contains(where: { $0.contains(scalar.value) }) else { return false }
        switch scalar.properties.generalCategory {
        case .unassigned: return false
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .letterNumber:
            return true
        default: return !lettersOnly
        }
    }
}
