/// Validates labels of internationalised domain names by the properties of their scalars (RFC 5892).
enum InternationalLabel {
    static func isValid(_ scalars: [Unicode.Scalar]) -> Bool {
        guard let first = scalars.first, let last = scalars.last, first != "-", last != "-" else { return false }
        if scalars.count >= 4, scalars[2] == "-", scalars[3] == "-" { return false }
        if isMark(first) { return false }
        // Two sets of Arabic digits must not be mixed (RFC 5892, appendix A.8 and A.9).
        if scalars.contains(where: { (0x660...0x669).contains($0.value) }),
            scalars.contains(where: { (0x6F0...0x6F9).contains($0.value) })
        {
            return false
        }
        return scalars.indices.allSatisfy { isAllowed(scalars, $0) }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .spacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
    }

    private static func isAllowed(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        let scalar = scalars[index]
        let before = index > 0 ? scalars[index - 1] : nil
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        switch scalar.value {
        // The exceptions to the rules below, and the scalars that depend on their neighbours.
        case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: return true
        case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
        case 0xB7: return before == "l" && after == "l"
        case 0x375: return after.map { Script.greek.contains($0) } ?? false
        case 0x5F3, 0x5F4: return before.map { Script.hebrew.contains($0) } ?? false
        case 0x30FB:
            return scalars.contains { scalar in
                [Script.hiragana, .katakana, .han].contains { $0.contains(scalar) }
            }
        case 0x200D: return isVirama(before)
        case 0x200C: return isVirama(before) || joins(before) && joins(after)
        case 0x2D, 0x30...0x39, 0x61...0x7A: return true
        // Old Hangul letters.
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: return false
        default: break
        }
        let properties = scalar.properties
        if properties.changesWhenNFKCCaseFolded || properties.isDefaultIgnorableCodePoint { return false }
        switch properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark,
            .decimalNumber:
            return true
        default: return false
        }
    }

    private static func isVirama(_ scalar: Unicode.Scalar?) -> Bool {
        scalar?.properties.canonicalCombiningClass == .virama
    }

    /// Returns true if a letter may join its neighbours; of the joining scripts only Arabic is checked.
    private static func joins(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { Script.arabic.contains($0) && $0.properties.generalCategory == .otherLetter } ?? false
    }
}
