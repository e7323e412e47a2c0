/// The content of a file of ifupdown (interfaces(5)).
struct InterfacesFile {
    /// A part of the file that begins with a word such as `iface` or `auto`.
    struct Part {
        /// The words of its first line.
        var words: [String]
        /// The positions of its lines in the file, with continued ones, without comments and blank lines.
        var lines: [Int]
        /// Its options, with the positions of their lines.
        var options: [(line: Int, words: [String])] = []

        /// True if the part makes interfaces come up at boot, or when they appear.
        var isStart: Bool { words[0] == "auto" || words[0] == "allow-auto" || words[0] == "allow-hotplug" }

        /// Returns true if the part is for an interface.
        func concerns(_ interface: String) -> Bool {
            isStart
                ? words.dropFirst().contains(interface) : words[0] == "iface" && words.dropFirst().first == interface
        }
    }

    /// The words that begin a part; `allow-` has more after it.
    private static let beginnings: Set<String> = [
        "iface", "mapping", "auto", "no-auto-down", "no-scripts", "source", "rename", "template",
    ]

    /// The lines, without their line feeds.
    let lines: [Substring]
    /// The parts, in their order.
    let parts: [Part]

    /// Reads a content.
    init(_ text: String) {
        // A carriage return stays a part of its line.
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
        var parts: [Part] = []
        var position = 0
        while position < lines.count {
            // A line that ends with a backslash is continued on the next one.
            var places = [position]
            var logical = String(lines[position])
            let isComment = lines[position].first { $0 != " " && $0 != "\t" } == "#"
            while !isComment, logical.hasSuffix("\\"), position + 1 < lines.count {
                position += 1
                places.append(position)
                logical.removeLast()
                logical += " "
                logical += lines[position]
            }
            position += 1
            let words = logical.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !isComment else { continue }
            if Self.beginnings.contains(first) || first.hasPrefix("allow-") || first.hasPrefix("source-dir") {
                parts.append(Part(words: words, lines: places))
            } else if !parts.isEmpty {
                parts[parts.count - 1].lines += places
                parts[parts.count - 1].options.append((places[0], words))
            }
        }
        self.parts = parts
    }

    /// Reads the bytes of a content, each as one character, so that all of them are kept.
    init(bytes: [UInt8]) { self.init(Self.text(of: bytes)) }

    /// Returns bytes as characters.
    static func text(of bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Returns characters that were made of bytes as these bytes.
    static func bytes(of text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

    /// Returns the parts that are for an interface.
    func parts(for interface: String) -> [Part] { parts.filter { $0.concerns(interface) } }

    /// Returns the positions of the lines that define an interface: those of `iface`, and an `auto` for it alone.
    ///
    /// Others that start it, as `allow-hotplug` or an `auto` with more names, are of use next to Cleat's file.
    private func defining(_ interface: String) -> [Int] {
        let own = parts(for: interface)
        guard own.contains(where: { !$0.isStart }) else { return [] }
        return own.filter { !$0.isStart || $0.words.count == 2 && $0.words[0] == "auto" }.flatMap(\.lines)
    }

    /// Returns the lines that define an interface; empty if none does.
    func text(of interface: String) -> String { defining(interface).map { lines[$0] + "\n" }.joined() }

    /// Returns true if there are comments that ``without(_:)`` has made.
    func hasComments(of interface: String) -> Bool {
        let mark = Self.mark(interface)
        return lines.contains { $0.hasPrefix(mark) }
    }

    /// Returns the content with the lines of an interface as comments.
    func without(_ interface: String) -> String {
        let taken = Set(defining(interface))
        return lines.enumerated().map { position, line in
            taken.contains(position) ? Self.mark(interface) + line : String(line)
        }.joined(separator: "\n")
    }

    /// Makes the lines of an interface that ``without(_:)`` has made comments lines again.
    ///
    /// - Parameters:
    ///   - interface: the interface.
    ///   - former: the lines, which are added at the end if not all of their comments are there; other comments stay.
    /// - Returns: the content.
    func restoring(_ interface: String, _ former: String) -> String {
        let mark = Self.mark(interface)
        var wanted = former.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }[...]
        let text = lines.map { line in
            guard let next = wanted.first, line.hasPrefix(mark), line.dropFirst(mark.count) == next else { return line }
            wanted.removeFirst()
            return next
        }.joined(separator: "\n")
        if wanted.isEmpty { return text }
        let present = lines.joined(separator: "\n")
        return present + (present.isEmpty || present.hasSuffix("\n") ? "" : "\n") + former
    }

    private static func mark(_ interface: String) -> String { "# cleat \(interface): " }
}
