/// The parts of a URI or of a relative reference (RFC 3986, appendix B).
struct URIReference {
    var scheme: Substring?
    var authority: Substring?
    var path: Substring = ""
    var query: Substring?
    var fragment: Substring?

    /// Splits a text into its parts without validating them.
    init(_ text: String) {
        var rest = text[...]
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = rest[rest.utf8.index(after: hash)...]
            rest = rest[..<hash]
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[rest.utf8.index(after: mark)...]
            rest = rest[..<mark]
        }
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), colon > rest.startIndex,
            !rest[..<colon].utf8.contains(UInt8(ascii: "/"))
        {
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// The text of the reference without its fragment.
    var base: String {
        var result = scheme.map { "\($0):" } ?? ""
        if let authority { result += "//\(authority)" }
        result += path
        if let query { result += "?\(query)" }
        return result
    }

    /// Resolves the reference against the base of its document (RFC 3986, section 5.2.2).
    func resolved(against base: URIReference) -> URIReference {
        var result = self
        if scheme != nil {
            result.path = Self.withoutDots(path)
            return result
        }
        result.scheme = base.scheme
        if authority != nil {
            result.path = Self.withoutDots(path)
            return result
        }
        result.authority = base.authority
        if path.isEmpty {
            result.path = base.path
            if query == nil { result.query = base.query }
        } else if path.utf8.first == UInt8(ascii: "/") {
            result.path = Self.withoutDots(path)
        } else {
            let directory =
                base.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { base.path[...$0] }
                ?? (base.authority != nil && base.path.isEmpty ? "/" : "")
            result.path = Self.withoutDots(directory + path)
        }
        return result
    }

    private static func withoutDots(_ path: Substring) -> Substring {
        var result: [Substring] = []
        var endsInDirectory = false
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        for (index, part) in parts.enumerated() {
            endsInDirectory = false
            if part == "." {
                endsInDirectory = true
            } else if part == ".." {
                endsInDirectory = true
                // The empty part before the first slash is kept.
                if result.count > (parts[0].isEmpty ? 1 : 0) { result.removeLast() }
            } else {
                result.append(part)
            }
            if index == parts.count - 1, endsInDirectory { result.append("") }
        }
        return result.joined(separator: "/")[...]
    }

    /// Returns a text with its percent escapes decoded; nil if one is invalid or the bytes are not valid UTF-8.
    static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy(ASCII.isHexadecimal),
                let value = UInt8(Substring(digits), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
