/// One node of a parsed pattern.
indirect enum PatternNode: Sendable {
    case empty
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    case assertion(Assertion)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// A repeated node; `maximum` is nil if there is no upper bound.
    case repeated(PatternNode, minimum: Int, maximum: Int?, column: Int)

    enum Assertion: UInt8, Sendable {
        case start, end, wordBoundary, notWordBoundary
    }
}

/// Parses the text of a pattern to nodes.
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    /// True if only the grammar is checked; unsupported constructs are accepted then.
    private let isLenient: Bool
    private var isInClass = false
    private var groupNames: [String] = []
    private var groupCount = 0
    private var greatestReference = 0
    private var namesReferred: [String] = []

    init(_ text: String, isLenient: Bool = false) {
        scalars = Array(text.unicodeScalars.prefix(Pattern.maximumLength + 1))
        self.isLenient = isLenient
    }

    mutating func parse() throws(PatternError) -> PatternNode {
        if scalars.count > Pattern.maximumLength {
            throw error(.tooLarge, "it is longer than \(Pattern.maximumLength) characters; shorten it")
        }
        let node = try alternatives()
        if position < scalars.count {
            throw error(.syntax, "“)” closes no group; write “\\)” for the character")
        }
        if greatestReference > groupCount || namesReferred.contains(where: { !groupNames.contains($0) }) {
            throw error(.syntax, "a back reference names a group that is not there")
        }
        return node
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func error(_ code: PatternError.Code, at index: Int? = nil, _ message: String) -> PatternError {
        PatternError(code: code, column: (index ?? position) + 1, message: message)
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func takeText(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard scalars[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func alternatives() throws(PatternError) -> PatternNode {
        var branches = [try sequence()]
        while take("|") {
            branches.append(try sequence())
        }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let start = position
            let atom = try atom()
            parts.append(try quantified(atom, start))
        }
        return parts.isEmpty ? .empty : parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func atom() throws(PatternError) -> PatternNode {
        let start = position
        let scalar = scalars[position]
        position += 1
        switch scalar {
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case ".": return .set(.dot)
        case "(": return try group(start)
        case "[": return .set(try characterClass(start))
        case "\\": return try escape(start)
        case "*", "+", "?":
            throw error(.syntax, at: start, "“\(scalar)” repeats nothing; write “\\\(scalar)” for the character")
        case "{", "}", "]":
            throw error(.syntax, at: start, "“\(scalar)” is unpaired; write “\\\(scalar)” for the character")
        default: return .scalar(scalar)
        }
    }

    private mutating func group(_ start: Int) throws(PatternError) -> PatternNode {
        if take("?"), !take(":") {
            try groupKind(start)
        } else if scalars[position - 1] == "(" {
            groupCount += 1
        }
        depth += 1
        if depth > Pattern.maximumDepth {
            throw error(.tooLarge, at: start, "groups are nested deeper than \(Pattern.maximumDepth); use fewer")
        }
        let body = try alternatives()
        guard take(")") else {
            throw error(.syntax, at: start, "the group is not closed; add “)”")
        }
        depth -= 1
        return body
    }

    private mutating func groupKind(_ start: Int) throws(PatternError) {
        for begin in ["=", "!", "<=", "<!"] where takeText(begin) {
            if isLenient { return }
            throw error(.lookAround, at: start, "look-around is not supported; describe the text without it")
        }
        guard take("<") else {
            throw error(.unsupported, at: start, "“(?” begins a group of an unsupported kind; use “(?:…)”")
        }
        groupCount += 1
        let name = try groupName(start)
        if groupNames.contains(name) { throw error(.syntax, at: start, "two groups have one name; rename one") }
        groupNames.append(name)
    }

    private mutating func groupName(_ start: Int) throws(PatternError) -> String {
        let begin = position
        while let scalar = next, scalar == "$" || scalar == "_" || scalar.properties.isIDContinue {
            position += 1
        }
        let name = scalars[begin..<position]
        guard let first = name.first, first == "$" || first == "_" || first.properties.isIDStart, take(">") else {
            throw error(.syntax, at: start, "the name of the group is not closed; write “(?<name>…)”")
        }
        return String(String.UnicodeScalarView(name))
    }

    private mutating func quantified(_ atom: PatternNode, _ start: Int) throws(PatternError) -> PatternNode {
        let column = position
        let minimum: Int
        let maximum: Int?
        switch next {
        case "*": (minimum, maximum) = (0, nil)
        case "+": (minimum, maximum) = (1, nil)
        case "?": (minimum, maximum) = (0, 1)
        case "{":
            position += 1
            (minimum, maximum) = try bounds(column)
            position -= 1
        default: return atom
        }
        position += 1
        // “(?:^)*” may be repeated: a group that holds one anchor is not an anchor.
        if case .assertion = atom, scalars[start] != "(" {
            throw error(.syntax, at: column, "an anchor cannot be repeated; remove the quantifier")
        }
        // A lazy quantifier changes the match that is found, but not the texts that match.
        _ = take("?")
        if let following = next, following == "*" || following == "+" || following == "?" || following == "{" {
            throw error(.syntax, "a quantifier repeats a quantifier; put the inner one into “(?:…)”")
        }
        return .repeated(atom, minimum: minimum, maximum: maximum, column: column + 1)
    }

    private mutating func bounds(_ start: Int) throws(PatternError) -> (Int, Int?) {
        let minimum = try number(start)
        var maximum: Int? = minimum
        if take(",") {
            maximum = next == "}" ? nil : try number(start)
        }
        guard take("}") else {
            throw error(.syntax, at: start, "the quantifier is not closed; write “{n}”, “{n,}” or “{n,m}”")
        }
        if let maximum, maximum < minimum {
            throw error(.syntax, at: start, "the quantifier's bounds are out of order; write the smaller one first")
        }
        return (minimum, maximum)
    }

    private mutating func number(_ start: Int) throws(PatternError) -> Int {
        let begin = position
        var value = 0
        while let scalar = next, let digit = scalar.decimalDigit {
            value = value * 10 + digit
            if value > Pattern.maximumInstructions {
                throw error(.tooLarge, at: start, "a count exceeds \(Pattern.maximumInstructions); use a smaller one")
            }
            position += 1
        }
        if position == begin {
            throw error(.syntax, at: start, "the quantifier has no number; write “{n}”, or “\\{” for the character")
        }
        return value
    }

    private mutating func escape(_ start: Int) throws(PatternError) -> PatternNode {
        switch next {
        case "b":
            position += 1
            return .assertion(.wordBoundary)
        case "B":
            position += 1
            return .assertion(.notWordBoundary)
        case "k" where isLenient:
            position += 1
            guard take("<") else { throw error(.syntax, at: start, "“\\k” needs the name of a group in “<…>”") }
            namesReferred.append(try groupName(start))
            return .empty
        case let digit? where isLenient && digit.decimalDigit != nil && digit != "0":
            greatestReference = max(greatestReference, try number(start))
            return .empty
        case "k":
            throw error(.backReference, at: start, "back references are not supported; describe the text without them")
        case let digit? where digit.decimalDigit != nil && digit != "0":
            throw error(.backReference, at: start, "back references are not supported; describe the text without them")
        default:
            switch try classEscape(start) {
            case .one(let scalar): return .scalar(scalar)
            case .many(let set): return .set(set)
            }
        }
    }

    private enum ClassAtom {
        case one(Unicode.Scalar)
        case many(ScalarSet)
    }

    private mutating func classEscape(_ start: Int) throws(PatternError) -> ClassAtom {
        guard let scalar = next else {
            throw error(.syntax, at: start, "the pattern ends in a backslash; write “\\\\” for the character")
        }
        position += 1
        switch scalar {
        case "d": return .many(.digits)
        case "D": return .many(.digits.inverted)
        case "w": return .many(.words)
        case "W": return .many(.words.inverted)
        case "s": return .many(.spaces)
        case "S": return .many(.spaces.inverted)
        case "t": return .one("\t")
        case "n": return .one("\n")
        case "r": return .one("\r")
        case "v": return .one("\u{B}")
        case "f": return .one("\u{C}")
        case "0" where next?.decimalDigit == nil: return .one("\0")
        case "c":
            guard let letter = next, letter.isASCIILetter, let control = Unicode.Scalar(letter.value & 0x1F) else {
                throw error(.syntax, at: start, "“\\c” needs a letter after it")
            }
            position += 1
            return .one(control)
        case "x": return .one(try self.scalar(try hexadecimal(2, start), start))
        case "u": return .one(try unicodeEscape(start))
        case "p", "P": return .many(ScalarSet(try property(start), negated: scalar == "P"))
        case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/":
            return .one(scalar)
        case "-" where !isLenient || isInClass: return .one(scalar)
        default:
            throw error(
                .syntax, at: start, "“\\\(Excerpt.of(String(scalar)))” is not an escape; remove the backslash")
        }
    }

    /// Reads the name of a property in braces: `{L}`, `{Letter}`, `{gc=Lu}`, `{Script=Greek}`.
    private mutating func property(_ start: Int) throws(PatternError) -> ScalarProperty {
        guard take("{") else { throw error(.syntax, at: start, "“\\p” needs a property: “\\p{Letter}”") }
        let begin = position
        while let scalar = next, scalar == "=" || ScalarSet.words.contains(scalar.value) { position += 1 }
        let name = String(String.UnicodeScalarView(scalars[begin..<position]))
        guard take("}") else { throw error(.syntax, at: start, "the property is not closed; write “\\p{Letter}”") }
        guard let property = ScalarProperty(name) else {
            throw error(
                .unsupported, at: start,
                "the Unicode property “\(Excerpt.of(name))” is not supported; list the ranges of characters")
        }
        return property
    }

    private mutating func unicodeEscape(_ start: Int) throws(PatternError) -> Unicode.Scalar {
        if take("{") {
            var value: UInt32 = 0
            let begin = position
            while let digit = next?.hexadecimalDigit {
                value = value << 4 | digit
                if value > 0x10FFFF { throw error(.syntax, at: start, "the code point is beyond U+10FFFF") }
                position += 1
            }
            guard position > begin, take("}") else {
                throw error(.syntax, at: start, "“\\u{” needs hexadecimal digits and “}”")
            }
            return try scalar(value, start)
        }
        let high = try hexadecimal(4, start)
        if (0xD800..<0xDC00).contains(high), takeText("\\u") {
            let low = try hexadecimal(4, start)
            guard (0xDC00..<0xE000).contains(low) else {
                throw error(.syntax, at: start, "a surrogate is unpaired; write the character or “\\u{…}”")
            }
            return try scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), start)
        }
        return try scalar(high, start)
    }

    private func scalar(_ value: UInt32, _ start: Int) throws(PatternError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else {
            throw error(.syntax, at: start, "a surrogate is unpaired; write the character or “\\u{…}”")
        }
        return scalar
    }

    private mutating func hexadecimal(_ count: Int, _ start: Int) throws(PatternError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = next?.hexadecimalDigit else {
                throw error(.syntax, at: start, "the escape needs \(count) hexadecimal digits")
            }
            value = value << 4 | digit
            position += 1
        }
        return value
    }

    private mutating func characterClass(_ start: Int) throws(PatternError) -> ScalarSet {
        var set = ScalarSet(ranges: [])
        set.negated = take("^")
        isInClass = true
        defer { isInClass = false }
        while !take("]") {
            let begin = position
            switch try classAtom(start) {
            case .many(let other):
                if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
                    throw error(.syntax, at: begin, "a class cannot begin a range; write “\\-” for the character")
                }
                set.formUnion(other)
            case .one(let first):
                var last = first
                if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
                    position += 1
                    guard case .one(let end) = try classAtom(start) else {
                        throw error(.syntax, at: begin, "a class cannot end a range; write “\\-” for the character")
                    }
                    last = end
                }
                guard first <= last else {
                    throw error(.syntax, at: begin, "the range is out of order; write the smaller character first")
                }
                set.ranges.append(first.value...last.value)
            }
        }
        return set
    }

    private mutating func classAtom(_ start: Int) throws(PatternError) -> ClassAtom {
        guard let scalar = next else {
            throw error(.syntax, at: start, "the class is not closed; add “]”")
        }
        let begin = position
        position += 1
        guard scalar == "\\" else { return .one(scalar) }
        if take("b") { return .one("\u{8}") }
        if let digit = next?.decimalDigit, digit != 0 {
            throw error(.syntax, at: begin, "“\\\(digit)” is not an escape inside a class; remove the backslash")
        }
        return try classEscape(begin)
    }
}

extension Unicode.Scalar {
    fileprivate var decimalDigit: Int? {
        ("0"..."9").contains(self) ? Int(value) - 0x30 : nil
    }

    fileprivate var hexadecimalDigit: UInt32? {
        switch self {
        case "0"..."9": value - 0x30
        case "a"..."f": value - 0x61 + 10
        case "A"..."F": value - 0x41 + 10
        default: nil
        }
    }

    fileprivate var isASCIILetter: Bool {
        ("a"..."z").contains(self) || ("A"..."Z").contains(self)
    }
}
