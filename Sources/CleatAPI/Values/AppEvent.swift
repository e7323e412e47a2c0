internal import CleatIO

/// The content of an event that a program emits.
package struct AppEvent: Sendable, Equatable {
    /// The property with the emitter's user id, which only the service sets.
    package static let uidProperty = "EMITTER_UID"
    /// The property with the emitter's name, if the system knows one, which only the service sets.
    package static let userProperty = "EMITTER"
    /// The largest size of an action and of a property's name, in bytes.
    package static let wordBytes = 64
    /// The largest size of a subject, in bytes.
    package static let subjectBytes = 255
    /// The largest number of properties.
    package static let propertyCount = 32
    /// The largest size of all properties, in bytes.
    package static let propertyBytes = 4_096

    /// The action, such as `button-pressed`.
    package var action: String
    /// The subject, such as `door/front`.
    package var subject: String
    /// Further properties.
    package var properties: [String: String]

    /// Creates an event.
    package init(action: String, subject: String, properties: [String: String] = [:]) {
        self.action = action
        self.subject = subject
        self.properties = properties
    }

    /// The problem that makes the event invalid, with the remedy; nil if it is valid.
    package var problem: String? {
        if !Self.isWord(action, letters: UInt8(ascii: "a")...UInt8(ascii: "z"), and: UInt8(ascii: "-")) {
            return "the action must be a word of a-z, 0-9 and -, that begins with a letter and has at most "
                + "\(Self.wordBytes) bytes, such as button-pressed"
        }
        if !(1...Self.subjectBytes).contains(subject.utf8.count) || Self.holdsControl(subject) {
            return
                "the subject must have 1 to \(Self.subjectBytes) bytes without control characters, such as door/front"
        }
        if subject.utf8.first == UInt8(ascii: "/") {
            return "the subject must not begin with /, as the path of a device does; omit the slash"
        }
        guard properties.count <= Self.propertyCount else {
            return "the event has \(properties.count) properties, at most \(Self.propertyCount) are possible; omit some"
        }
        let bytes = properties.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= Self.propertyBytes else {
            return "the properties have \(bytes) bytes, at most \(Self.propertyBytes) are possible; shorten them"
        }
        for (name, value) in properties.sortedByKey() {
            if !Self.isWord(name, letters: UInt8(ascii: "A")...UInt8(ascii: "Z"), and: UInt8(ascii: "_")) {
                return
                    "the name of each property must be a word of A-Z, 0-9 and _, that begins with a letter and has at "
                    + "most \(Self.wordBytes) bytes, such as STATE"
            }
            if name == Self.uidProperty || name == Self.userProperty {
                return "the property \(name) names the emitter and is set by the service; omit it"
            }
            if Self.holdsControl(value) { return "the property \(name) holds a control character; remove it" }
        }
        return nil
    }

    private static func isWord(_ text: String, letters: ClosedRange<UInt8>, and mark: UInt8) -> Bool {
        guard let first = text.utf8.first, letters.contains(first), text.utf8.count <= wordBytes else { return false }
        return text.utf8.allSatisfy {
            letters.contains($0) || $0 == mark || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }

    private static func holdsControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 32 || (127...159).contains($0.value) }
    }
}
