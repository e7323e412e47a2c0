/// The rule of the path grammar that a text breaks, with the remedy.
public struct SettingPathError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that was broken.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the rule in machine-readable output.
        public let description: String

        init(_ description: String) {
            self.description = description
        }

        /// The path is empty.
        public static let empty = Code("empty")
        /// The path is longer than ``SettingPath/maximumBytes``.
        public static let tooLong = Code("too_long")
        /// The path has more than ``SettingPath/maximumSegments`` segments.
        public static let tooManySegments = Code("too_many_segments")
        /// The path begins with a slash.
        public static let leadingSlash = Code("leading_slash")
        /// The path ends with a slash.
        public static let trailingSlash = Code("trailing_slash")
        /// Two slashes are next to each other, or a segment to append is empty.
        public static let emptySegment = Code("empty_segment")
        /// A segment is longer than ``SettingPath/maximumSegmentBytes``.
        public static let segmentTooLong = Code("segment_too_long")
        /// A segment is `.` or `..`.
        public static let dotSegment = Code("dot_segment")
        /// A segment holds a control character.
        public static let controlCharacter = Code("control_character")
        /// A `~` is not followed by `0` or `1`.
        public static let invalidEscape = Code("invalid_escape")
    }

    /// The rule that was broken.
    public let code: Code

    /// The beginning of the text that broke it, printable and at most 64 characters long.
    public let excerpt: String

    init(_ code: Code, _ text: String) {
        self.code = code
        excerpt = Excerpt.of(text)
    }

    /// One sentence with the path, the rule and the remedy.
    public var description: String {
        "path “\(excerpt)” \(rule)"
    }

    private var rule: String {
        switch code {
        case .empty: "is empty; give 1 to \(SettingPath.maximumSegments) names with slashes between them"
        case .tooLong: "is longer than \(SettingPath.maximumBytes) bytes; shorten it"
        case .tooManySegments: "has more than \(SettingPath.maximumSegments) segments; shorten it"
        case .leadingSlash: "begins with a slash; remove it"
        case .trailingSlash: "ends with a slash; remove it"
        case .emptySegment: "has an empty segment; put a name between the slashes"
        case .segmentTooLong: "has a segment longer than \(SettingPath.maximumSegmentBytes) bytes; shorten it"
        case .dotSegment: "has a segment “.” or “..”; name the setting in full"
        case .controlCharacter: "holds a control character; remove it"
        default: "has a “~” that is not followed by 0 or 1; write “~0” for “~” and “~1” for “/” inside a segment"
        }
    }
}

/// Shortens untrusted texts for errors: printable, on one line, bounded.
enum Excerpt {
    static let maximumCharacters = 64

    static func of(_ text: String) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == maximumCharacters {
                result.append("…")
                break
            }
            count += 1
            if scalar.properties.generalCategory == .control {
                result.append("\\u{")
                result.append(String(scalar.value, radix: 16))
                result.append("}")
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
