import CleatTestSupport
import Testing

@testable import CleatSettings

@Suite struct PatternTests {
    @Test(arguments: [
        ("abc", "xabcx", true), ("abc", "abx", false), ("", "", true), ("", "x", true),
        ("^abc$", "abc", true), ("^abc$", "abc\n", false), ("^abc$", "xabc", false), ("^$", "", true),
        ("^$", "x", false),
        ("a.c", "abc", true), ("a.c", "a\nc", false), ("a.c", "a\u{2028}c", false), ("^.$", "😀", true),
        ("^.$", "e\u{301}", false),
        ("^[abc]+$", "cab", true), ("^[abc]+$", "cad", false), ("^[^abc]+$", "xyz", true), ("^[^abc]+$", "xbz", false),
        ("^[a-c-]+$", "a-c", true), ("^[-a]+$", "-a", true), ("^[\\]\\\\]+$", "]\\", true), ("^[^]$", "\n", true),
        ("[]", "a", false),
        ("^[a\\-z]+$", "m", false), ("^[a\\-z]+$", "a-z", true), ("^[.]$", "x", false), ("^[\\b]$", "\u{8}", true),
        ("^\\d+$", "0123456789", true), ("^\\d+$", "٣", false), ("^\\D$", "٣", true), ("^\\w+$", "aZ_09", true),
        ("^\\w+$", "ä", false), ("^\\W$", "ä", true), ("^\\s+$", " \t\r\n\u{A0}\u{FEFF}\u{3000}", true),
        ("^\\S$", "\u{180E}", true),
        ("^[\\d\\s]+$", "1 2", true), ("^[^\\d\\s]+$", "1", false), ("^[\\D]$", "5", false), ("^[\\W_]$", "_", true),
        ("^(a|bc|)d$", "bcd", true), ("^(a|bc|)d$", "d", true), ("^(a|bc|)d$", "abcd", false), ("a|^b$|c", "xxc", true),
        ("^(?:ab)+$", "abab", true), ("^(?<year>\\d{4})-(?<m>\\d\\d)$", "2024-02", true), ("^((a)(b))*$", "abab", true),
        ("^a*$", "", true), ("^a+$", "", false), ("^a?b$", "b", true), ("^a?b$", "aab", false),
        ("^a{3}$", "aaa", true), ("^a{3}$", "aa", false), ("^a{3}$", "aaaa", false), ("^a{2,}$", "a", false),
        ("^a{2,}$", "aaaaa", true),
        ("^a{1,2}$", "aaa", false), ("^a{0}$", "", true), ("^a{0}$", "a", false), ("^(a{2}){2}$", "aaaa", true),
        ("^a*?b+?$", "aabb", true),
        ("^(a*)*$", "aaaa", true), ("^(a*)+b$", "aaab", true), ("^(|a)+$", "aaa", true), ("^(?:){3}$", "", true),
        ("\\bfoo\\b", "a foo b", true), ("\\bfoo\\b", "afoo b", false), ("\\Boo\\b", "foo", true),
        ("\\Bfoo", "foo", false),
        ("^\\x41\\u0042\\u{43}\\u{1F600}$", "ABC😀", true), ("^\\uD83D\\uDE00$", "😀", true),
        ("^[\\u{1F600}-\\u{1F64F}]$", "😃", true),
        ("^\\t\\n\\v\\f\\r\\0\\cA$", "\t\n\u{B}\u{C}\r\0\u{1}", true),
        ("^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$", "^$\\.*+?()[]{}|/", true),
        ("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", "a-b-c", true), ("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", "a-", false),
        ("(?:^)*a", "ba", true),
        ("^\\p{L}+$", "aÄßλЖ日", true), ("^\\p{L}+$", "a1", false), ("^\\p{Letter}cole$", "École", true),
        ("^\\p{Lu}\\p{Ll}$", "Äé", true), ("^\\p{Lu}$", "a", false), ("^\\P{Lu}$", "a", true),
        ("^\\P{Lu}$", "A", false),
        ("^\\p{gc=Nd}+$", "0٣৪", true), ("^\\p{digit}+$", "৪", true),
        ("^\\p{General_Category=Decimal_Number}$", "x", false),
        ("^[\\p{L}\\d_-]+$", "é_1-", true), ("^[\\p{L}\\d_-]+$", "é 1", false), ("^[^\\p{L}]+$", "12 ", true),
        ("^[^\\p{L}]+$", "1a", false), ("^[\\P{L}a]+$", "1a", true), ("^[\\P{L}a]+$", "b", false),
        ("^[^\\P{L}]$", "b", true),
        ("^[^\\P{L}]$", "1", false), ("^\\p{Script=Greek}+$", "λόγος", true), ("^\\p{sc=Grek}+$", "logos", false),
        ("^\\p{Script=Cyrillic}+$", "слово", true), ("^\\p{scx=Latin}+$", "École", true),
        ("^\\p{Script=Latin}+$", "λ", false),
        ("^\\p{Script=Han}+$", "漢字", true), ("^\\p{Script=Han}+$", "かな", false),
        ("^\\p{Script=Hiragana}+$", "かな", true),
        ("^\\p{Script=Katakana}+$", "カナ", true), ("^\\p{Script=Hangul}+$", "한글", true),
        ("^\\p{Script=Arabic}+$", "كتاب", true),
        ("^\\p{Script=Hebrew}+$", "שלום", true), ("^\\p{Script=Thai}+$", "ไทย", true),
        ("^\\p{Script=Devanagari}+$", "हिन्दी", true),
        ("^\\p{Alphabetic}+$", "aλ", true), ("^\\p{White_Space}$", " ", true), ("^\\p{Emoji_Presentation}$", "😀", true),
        ("^\\p{Any}$", "x", true), ("^\\p{ASCII}+$", "az", true), ("^\\p{ASCII}+$", "é", false),
        ("^\\p{Assigned}$", "\u{378}", false),
        ("^\\p{Uppercase}\\p{Lowercase}$", "Aa", true), ("^\\p{L}{2,3}$", "äö", true), ("^\\p{LC}$", "a", true),
        ("^\\p{punct}$", "!", true),
        ("^(?<été>x)$", "x", true), ("^\\W$", "é", true), ("^[\\w-]+$", "a-b", true),
    ])
    func matches(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try Pattern(pattern).matches(text) == expected)
    }

    @Test(arguments: [
        ("(", PatternError.Code.syntax, 1), ("a(b", .syntax, 2), ("a)", .syntax, 2), ("[a", .syntax, 1),
        ("a]", .syntax, 2),
        ("*a", .syntax, 1), ("a|+", .syntax, 3), ("(?)", .unsupported, 1), ("a**", .syntax, 3), ("a{2}{3}", .syntax, 5),
        ("a{", .syntax, 2), ("a{x}", .syntax, 2), ("a{,2}", .syntax, 2), ("a{3,2}", .syntax, 2), ("a{2", .syntax, 2),
        ("}", .syntax, 1),
        ("{", .syntax, 1), ("\\", .syntax, 1), ("a\\", .syntax, 2), ("\\q", .syntax, 1), ("\\-\\_", .syntax, 3),
        ("^*", .syntax, 2),
        ("\\b+", .syntax, 3), ("[z-a]", .syntax, 2), ("[\\d-z]", .syntax, 2), ("[a-\\w]", .syntax, 2),
        ("\\x4", .syntax, 1),
        ("\\u12", .syntax, 1), ("\\u{}", .syntax, 1), ("\\u{110000}", .syntax, 1), ("\\uD800", .syntax, 1),
        ("\\u{D800}", .syntax, 1),
        ("\\uD800\\u0041", .syntax, 1), ("\\c1", .syntax, 1), ("\\01", .syntax, 1), ("(?<n", .syntax, 1),
        ("(a)\\1", .backReference, 4), ("(?<n>a)\\k<n>", .backReference, 8), ("[\\1]", .syntax, 2),
        ("x(?=a)", .lookAround, 2), ("(?!a)", .lookAround, 1), ("(?<=a)b", .lookAround, 1), ("(?<!a)b", .lookAround, 1),
        ("\\p{Nothing}", .unsupported, 1), ("a\\P{gc=Xx}", .unsupported, 2), ("[\\p{Script=Klingon}]", .unsupported, 2),
        ("\\p{lu}", .unsupported, 1), ("\\p", .syntax, 1), ("\\pL", .syntax, 1), ("\\p{L", .syntax, 1),
        ("[a-\\p{L}]", .syntax, 2),
        ("(?<a>x)(?<a>y)", .syntax, 8), ("(?<1>x)", .syntax, 1),
        ("(?i)a", .unsupported, 1),
        ("a{10001}", .tooLarge, 2), ("a{99999999999999999999}", .tooLarge, 2), ("(?:a{1000}){1000}", .tooLarge, 3),
        ("((((){1000}){1000}){1000}){1000}", .tooLarge, 7),
    ])
    func refuses(_ pattern: String, _ code: PatternError.Code, _ column: Int) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error?.code == code)
        if code != .tooLarge { #expect(error?.column == column) }
    }

    @Test func boundsLengthAndDepth() throws {
        #expect(throws: PatternError.self) { try Pattern(String(repeating: "a", count: Pattern.maximumLength + 1)) }
        _ = try Pattern(String(repeating: "a", count: Pattern.maximumLength))
        #expect(throws: PatternError.self) {
            try Pattern(String(repeating: "(", count: 101) + String(repeating: ")", count: 101))
        }
        _ = try Pattern(String(repeating: "(", count: 100) + String(repeating: ")", count: 100))
        // A thousand alternatives side by side are no depth.
        #expect(try Pattern(Array(repeating: "(a)", count: 1000).joined(separator: "|")).matches("a"))
    }

    @Test(arguments: ["(a+)+$", "^(a|a)*$", "^(a*)*b", "(a|aa)+c", "(.*)(.*)(.*)(.*)x", "(?:a?){30}a{30}b"])
    func takesLinearTime(_ text: String) throws {
        let pattern = try Pattern(text)
        let size = pattern.program.instructions.count
        for length in [1000, 100_000] where size * length < 5_000_000 || length == 1000 {
            var steps = 0
            #expect(pattern.matches(String(repeating: "a", count: length) + "!", steps: &steps) == false)
            #expect(steps > length / 2)
            #expect(steps <= 3 * size * (length + 2))
        }
    }

    @Test func endsEarlyWhereNothingCanMatch() throws {
        var steps = 0
        #expect(try Pattern("^b").matches(String(repeating: "a", count: 100_000), steps: &steps) == false)
        #expect(steps < 10)
    }

    @Test func workIsBoundedAndCounted() throws {
        let pattern = try Pattern("(x+x+)+y")
        var steps = 0
        #expect(pattern.matches(String(repeating: "x", count: 10_000), steps: &steps, limit: 1000) == nil)
        #expect(steps > 1000 && steps < 2000)
        steps = 0
        #expect(pattern.matches("xxy", steps: &steps, limit: 1000) == true)
        // A class with many ranges is more work than one character.
        var few = 0
        var many = 0
        let text = String(repeating: "z", count: 1000)
        _ = try Pattern("^[a]*z*$").matches(text, steps: &few)
        _ = try Pattern("^[\((0..<200).map { "\\u{\(String(0x4E00 + 2 * $0, radix: 16))}" }.joined())]*z*$").matches(
            text, steps: &many)
        #expect(many > few)
        steps = 0
        #expect(
            try Pattern("^[a]{0,100}b").matches(String(repeating: "a", count: 50), steps: &steps, limit: .max) == false)
    }

    @Test(arguments: [
        ("a(?=b)", true), ("(?<!a)b", true), ("(a)\\1", true), ("\\1", false), ("(?<n>a)\\k<n>", true),
        ("\\k<n>", false), ("\\k", false),
        ("^\\S(|(.|\\n)*\\S)\\Z", false), ("^(abc]", false), ("\\a", false), ("([abc])+\\s+$", true), ("\\-", false),
        ("[\\-]", true), ("a{1000000000}", true),
        ("(?i:a)", false), ("\\p{L}", true), ("\\p{X}", false), ("", true), ("a**", false),
    ])
    func knowsTheGrammarBeyondWhatItMatches(_ text: String, _ expected: Bool) {
        #expect(Pattern.isSyntax(text) == expected)
    }

    @Test(arguments: TestMachine.seeds(40, briefly: 10))
    func agreesWithBacktracking(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let node = Reference.random(depth: 3, using: &generator)
            let pattern = try Pattern("^(?:\(node.text))$")
            let search = try Pattern(node.text)
            for _ in 0..<12 {
                let text = String(
                    (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                        "abc".randomElement(using: &generator) ?? "a"
                    })
                let scalars = Array(text.unicodeScalars)
                let ends = node.ends(in: scalars, from: 0)
                #expect(pattern.matches(text) == ends.contains(scalars.count), "seed \(seed): \(pattern) on \(text)")
                let anywhere = (0...scalars.count).contains { !node.ends(in: scalars, from: $0).isEmpty }
                #expect(search.matches(text) == anywhere, "seed \(seed): \(search) on \(text)")
            }
        }
    }
}

/// A matcher that is too simple to be wrong: the set of all places at which a match can end.
private indirect enum Reference {
    case scalar(Unicode.Scalar)
    case dot
    case notA
    case sequence(Reference, Reference)
    case either(Reference, Reference)
    case star(Reference)
    case plus(Reference)
    case optional(Reference)
    case counted(Reference, Int, Int)
    case start
    case end

    static func random(depth: Int, using generator: inout SeededGenerator) -> Reference {
        func below() -> Reference { random(depth: depth - 1, using: &generator) }
        switch Int.random(in: 0...(depth == 0 ? 4 : 13), using: &generator) {
        case 0: return .dot
        case 1: return .notA
        case 2, 3: return .scalar("abc".unicodeScalars.randomElement(using: &generator) ?? "a")
        case 4: return Bool.random(using: &generator) ? .scalar("b") : Bool.random(using: &generator) ? .start : .end
        case 5, 6, 7: return .sequence(below(), below())
        case 8, 9: return .either(below(), below())
        case 10: return .star(below())
        case 11: return .plus(below())
        case 12: return .optional(below())
        default:
            let minimum = Int.random(in: 0...2, using: &generator)
            return .counted(below(), minimum, minimum + Int.random(in: 0...2, using: &generator))
        }
    }

    var text: String {
        switch self {
        case .scalar(let scalar): String(scalar)
        case .dot: "."
        case .notA: "[^a]"
        case .sequence(let first, let second): "(?:\(first.text))(?:\(second.text))"
        case .either(let first, let second): "(\(first.text)|\(second.text))"
        case .star(let body): "(?:\(body.text))*"
        case .plus(let body): "(?:\(body.text))+"
        case .optional(let body): "(\(body.text))?"
        case .counted(let body, let minimum, let maximum): "(?:\(body.text)){\(minimum),\(maximum)}"
        case .start: "^"
        case .end: "$"
        }
    }

    func ends(in text: [Unicode.Scalar], from place: Int) -> Set<Int> {
        func one(_ isTaken: (Unicode.Scalar) -> Bool) -> Set<Int> {
            place < text.count && isTaken(text[place]) ? [place + 1] : []
        }
        func many(_ body: Reference, _ minimum: Int, _ maximum: Int) -> Set<Int> {
            var current: Set<Int> = [place]
            var result: Set<Int> = minimum == 0 ? current : []
            for count in stride(from: 1, through: maximum, by: 1) {
                current = Set(current.flatMap { body.ends(in: text, from: $0) })
                if count >= minimum { result.formUnion(current) }
            }
            return result
        }
        return switch self {
        case .scalar(let scalar): one { $0 == scalar }
        case .dot: one { $0 != "\n" }
        case .notA: one { $0 != "a" }
        case .sequence(let first, let second):
            Set(first.ends(in: text, from: place).flatMap { second.ends(in: text, from: $0) })
        case .either(let first, let second): first.ends(in: text, from: place).union(second.ends(in: text, from: place))
        case .star(let body): many(body, 0, text.count + 2)
        case .plus(let body): many(body, 1, text.count + 3)
        case .optional(let body): many(body, 0, 1)
        case .counted(let body, let minimum, let maximum): many(body, minimum, maximum)
        case .start: place == 0 ? [place] : []
        case .end: place == text.count ? [place] : []
        }
    }
}
