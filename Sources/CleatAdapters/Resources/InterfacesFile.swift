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
        "iface", "mapping", "auto", "no-auto-down", "no-scripts", "source", "source-directory", "rename", "template",
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
                logical = logical.dropLast() + " " + lines[position]
            }
            position += 1
            let words = logical.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !isComment else { continue }
            if Self.beginnings.contains(first) || first.hasPrefix("allow-") {
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

    /// Returns the lines of an interface; empty if it has none.
    func text(of interface: String) -> String {
        parts(for: interface).flatMap(\.lines).map { lines[$0] + "\n" }.joined()
    }

    /// Returns the content with the lines of an interface as comments.
    func without(_ interface: String) -> String {
        let taken = Set(parts(for: interface).flatMap(\.lines))
        return lines.enumerated().map { position, line in
            taken.contains(position) ? Self.mark(interface) + line : String(line)
        }.joined(separator: "\n")
    }

    /// Makes the lines of an interface that ``without(_:)`` has made comments lines again.
    ///
    /// - Parameters:
    ///   - interface: the interface.
    ///   - former: the lines, which are added at the end if the comments are no longer there.
    /// - Returns: the content.
    func restoring(_ interface: String, _ former: String) -> String {
        let mark = Self.mark(interface)
        let text = lines.map { $0.hasPrefix(mark) ? $0.dropFirst(mark.count) : $0 }.joined(separator: "\n")
        guard !former.isEmpty, InterfacesFile(text).text(of: interface).isEmpty else { return text }
        return text + (text.isEmpty || text.hasSuffix("\n") ? "" : "\n") + former
    }

    private static func mark(_ interface: String) -> String { "# cleat \(interface): " }
}
