package import CleatAPI

/// The states of the observers at one moment, saved in the runtime directory so that the changes during a restart of
/// the service can be published.
///
/// The state is valid within one boot only: after a reboot, everything is new anyway. Each observer encodes a section
/// of its own.
package struct ObserverState: Sendable {
    /// The largest saved state that is read, in bytes.
    package static let limit = 16 << 20

    private static let header = "cleat-observers 1"
    private static let end = "end"

    /// The id of the boot in which the state was taken.
    package var bootID: String
    /// The states of the observers that save one.
    package var sections: [(source: EventSource, state: [UInt8])]

    /// Makes a state from its parts.
    package init(bootID: String, sections: [(source: EventSource, state: [UInt8])]) {
        self.bootID = bootID
        self.sections = sections
    }

    /// Returns the state of running observers; nil if one of them is not ready, and so may know less than an earlier
    /// state.
    package static func current(bootID: String, of observers: [any EventObserver]) async -> ObserverState? {
        var state = ObserverState(bootID: bootID, sections: [])
        for observer in observers {
            guard let section = await observer.savedState() else { continue }
            guard await observer.isReady else { return nil }
            state.sections.append((observer.source, section))
        }
        return state
    }

    /// Publishes the changes since this state, each event marked as restored, as soon as the observers are ready.
    ///
    /// A state of another boot publishes nothing.
    ///
    /// - Throws: ``ObserverError`` for the first section that cannot be read.
    package func publishChanges(bootID: String, to observers: [any EventObserver]) async throws {
        guard bootID == self.bootID else { return }
        for observer in observers {
            guard let section = sections.first(where: { $0.source == observer.source }) else { continue }
            await observer.waitUntilReady()
            // An observer that has ended early does not know what is present.
            if await observer.isReady { try await observer.publishChanges(since: section.state) }
        }
    }

    // MARK: Encoding

    /// Returns the state as bytes: fields that end with a NUL, and after the name and length of each section its bytes.
    package func encoded() -> [UInt8] {
        var fields = FieldWriter()
        fields.append(Self.header, bootID)
        for (source, state) in sections {
            fields.append(source.rawValue, String(state.count))
            fields.append(bytes: state)
        }
        fields.append(Self.end)
        return fields.bytes
    }

    /// Reads a saved state; throws an error if it is truncated, of another format or beyond the limits.
    ///
    /// Sections of unknown sources are skipped.
    package init(decoding bytes: [UInt8]) throws(ObserverError) {
        guard bytes.count <= Self.limit else { throw .savedState("it is longer than \(Self.limit) bytes") }
        var fields = FieldReader(bytes)
        guard fields.next() == Self.header, let bootID = fields.next() else {
            throw .savedState("it has another form")
        }
        self.init(bootID: bootID, sections: [])
        while let name = fields.next() {
            if name == Self.end { return }
            guard let section = fields.number(Int.self).flatMap({ fields.bytes($0) }) else { break }
            if let source = EventSource(rawValue: name) { sections.append((source, section)) }
        }
        throw .savedState("it is cut short")
    }
}

extension ObserverError {
    /// Returns the error for a saved state that cannot be read.
    static func savedState(_ reason: String, of subjects: String? = nil) -> ObserverError {
        ObserverError(
            .state, subject: "the saved state\(subjects.map { " of \($0)" } ?? "") (\(reason))",
            remedy: "changes made while the service was down are not reported")
    }
}

/// Writes fields of text that end with a NUL.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends fields; nil is an empty field, and NULs in the texts are dropped.
    mutating func append(_ fields: String?...) {
        for field in fields {
            bytes.append(contentsOf: (field ?? "").utf8.filter { $0 != 0 })
            bytes.append(0)
        }
    }

    /// Appends bytes as they are.
    mutating func append(bytes: [UInt8]) {
        self.bytes.append(contentsOf: bytes)
    }
}

/// Reads fields of text that end with a NUL.
struct FieldReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// True if all bytes are read.
    var isAtEnd: Bool { offset == bytes.count }

    /// Returns the next field; nil at the end of the bytes, and for a field that is not UTF-8.
    mutating func next() -> String? {
        guard offset < bytes.count, let end = bytes[offset...].firstIndex(of: 0) else { return nil }
        defer { offset = end + 1 }
        return String(validating: bytes[offset..<end], as: UTF8.self)
    }

    /// Returns the next field; the inner nil is an empty field, the outer nil the end of the bytes or a field that is
    /// not UTF-8.
    mutating func optional() -> String?? {
        guard let field = next() else { return .none }
        return .some(field.isEmpty ? nil : field)
    }

    /// Returns the next field as a number; nil if it is none.
    mutating func number<T: FixedWidthInteger>(_: T.Type) -> T? {
        next().flatMap { T($0) }
    }

    /// Returns the next `count` bytes as they are; nil if there are fewer.
    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }
}
