/// A Unicode property that a pattern can name: a general category, a script, or a binary property.
enum ScalarProperty: Sendable {
    case any
    case ascii
    case assigned
    case category(Set<Unicode.GeneralCategory>)
    case script(Script)
    case binary(@Sendable (Unicode.Scalar.Properties) -> Bool)

    /// Finds a property by its name in ECMA-262: `L`, `Letter`, `gc=Lu`, `Script=Greek`, `Alphabetic`.
    init?(_ name: String) {
        let parts = name.utf8.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        if parts.count == 2 {
            switch parts[0] {
            case "General_Category", "gc":
                guard let categories = Self.categories(parts[1]) else { return nil }
                self = .category(categories)
            case "Script", "sc", "Script_Extensions", "scx":
                guard let script = Script(parts[1]) else { return nil }
                self = .script(script)
            default: return nil
            }
            return
        }
        switch name {
        case "Any": self = .any
        case "ASCII": self = .ascii
        case "Assigned": self = .assigned
        default:
            if let categories = Self.categories(name) {
                self = .category(categories)
            } else if let test = Self.binary(name) {
                self = .binary(test)
            } else {
                return nil
            }
        }
    }

    func holds(for scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .any: true
        case .ascii: scalar.isASCII
        case .assigned: scalar.properties.generalCategory != .unassigned
        case .category(let categories): categories.contains(scalar.properties.generalCategory)
        case .script(let script): script.contains(scalar)
        case .binary(let test): test(scalar.properties)
        }
    }

    private static let single: [(short: String, long: String, category: Unicode.GeneralCategory)] = [
        ("Lu", "Uppercase_Letter", .uppercaseLetter), ("Ll", "Lowercase_Letter", .lowercaseLetter),
        ("Lt", "Titlecase_Letter", .titlecaseLetter), ("Lm", "Modifier_Letter", .modifierLetter),
        ("Lo", "Other_Letter", .otherLetter), ("Mn", "Nonspacing_Mark", .nonspacingMark),
        ("Mc", "Spacing_Mark", .spacingMark), ("Me", "Enclosing_Mark", .enclosingMark),
        ("Nd", "Decimal_Number", .decimalNumber), ("Nl", "Letter_Number", .letterNumber),
        ("No", "Other_Number", .otherNumber), ("Pc", "Connector_Punctuation", .connectorPunctuation),
        ("Pd", "Dash_Punctuation", .dashPunctuation), ("Ps", "Open_Punctuation", .openPunctuation),
        ("Pe", "Close_Punctuation", .closePunctuation), ("Pi", "Initial_Punctuation", .initialPunctuation),
        ("Pf", "Final_Punctuation", .finalPunctuation), ("Po", "Other_Punctuation", .otherPunctuation),
        ("Sm", "Math_Symbol", .mathSymbol), ("Sc", "Currency_Symbol", .currencySymbol),
        ("Sk", "Modifier_Symbol", .modifierSymbol), ("So", "Other_Symbol", .otherSymbol),
        ("Zs", "Space_Separator", .spaceSeparator), ("Zl", "Line_Separator", .lineSeparator),
        ("Zp", "Paragraph_Separator", .paragraphSeparator), ("Cc", "Control", .control), ("Cf", "Format", .format),
        ("Cs", "Surrogate", .surrogate), ("Co", "Private_Use", .privateUse), ("Cn", "Unassigned", .unassigned),
    ]

    /// The names of groups of categories, which share their first letter, and the aliases of some categories.
    private static let groups: [(name: String, members: String)] = [
        ("Letter", "L"), ("Mark", "M"), ("Combining_Mark", "M"), ("Number", "N"), ("Punctuation", "P"), ("punct", "P"),
        ("Symbol", "S"), ("Separator", "Z"), ("Other", "C"), ("digit", "Nd"), ("cntrl", "Cc"),
    ]

    private static func categories(_ name: String) -> Set<Unicode.GeneralCategory>? {
        if name == "LC" || name == "Cased_Letter" { return [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter] }
        let short = groups.first { $0.name == name }?.members ?? name
        let found = single.filter { one in
            one.short == short || one.long == short || short.utf8.count == 1 && one.short.hasPrefix(short)
        }
        return found.isEmpty ? nil : Set(found.map(\.category))
    }

    private static func binary(_ name: String) -> (@Sendable (Unicode.Scalar.Properties) -> Bool)? {
        switch name {
        case "Alphabetic", "Alpha": { $0.isAlphabetic }
        case "ASCII_Hex_Digit", "AHex": { $0.isASCIIHexDigit }
        case "Cased": { $0.isCased }
        case "Case_Ignorable", "CI": { $0.isCaseIgnorable }
        case "Dash": { $0.isDash }
        case "Default_Ignorable_Code_Point", "DI": { $0.isDefaultIgnorableCodePoint }
        case "Diacritic", "Dia": { $0.isDiacritic }
        case "Emoji": { $0.isEmoji }
        case "Emoji_Modifier", "EMod": { $0.isEmojiModifier }
        case "Emoji_Modifier_Base", "EBase": { $0.isEmojiModifierBase }
        case "Emoji_Presentation", "EPres": { $0.isEmojiPresentation }
        case "Hex_Digit", "Hex": { $0.isHexDigit }
        case "ID_Continue", "IDC": { $0.isIDContinue }
        case "ID_Start", "IDS": { $0.isIDStart }
        case "Ideographic", "Ideo": { $0.isIdeographic }
        case "Lowercase", "Lower": { $0.isLowercase }
        case "Math": { $0.isMath }
        case "Noncharacter_Code_Point", "NChar": { $0.isNoncharacterCodePoint }
        case "Pattern_White_Space", "Pat_WS": { $0.isPatternWhitespace }
        case "Quotation_Mark", "QMark": { $0.isQuotationMark }
        case "Uppercase", "Upper": { $0.isUppercase }
        case "White_Space", "space": { $0.isWhitespace }
        case "XID_Continue", "XIDC": { $0.isXIDContinue }
        case "XID_Start", "XIDS": { $0.isXIDStart }
        default: nil
        }
    }
}
