import CleatAPI
import CleatJSON
import CleatViews

/// A view model of a completed operation, which is reported even if the view itself cannot be printed.
protocol CompletedOperationPresentable: TextPresentable {
    /// The completed operation, as the first half of a sentence; nil if there was none.
    var completedOperation: String? { get }
}

/// Prints one sentence, such as that nothing was changed.
struct NoteView: TextPresentable, JSONPresentable {
    var note: String
    /// The state for JSON output, like that of a commit.
    var state: String

    func write(to page: inout TextPage) {
        page.line(.init(note, .faint))
    }

    var json: JSONValue { ["state": .string(state), "note": .string(note)] }
}

extension JSONValue {
    /// Creates the JSON of a value as it is on the wire.
    init(showing value: some WireValue) {
        self = .object(value.wire)
    }
}

extension Int64 {
    /// The number of bytes in binary units: `512 B`, `3 KiB`, `1.5 MiB`.
    var shownBytes: String {
        guard self >= 1024 else { return "\(self) B" }
        guard self >= 1024 * 1024 else { return "\(self / 1024) KiB" }
        for (unit, size) in [("MiB", Int64(1) << 20), ("GiB", 1 << 30)] where self < size * 1024 {
            return Self.tenths(self, of: size) + " " + unit
        }
        return Self.tenths(self, of: 1 << 40) + " TiB"
    }

    private static func tenths(_ bytes: Int64, of size: Int64) -> String {
        let tenths = bytes / size * 10 + bytes % size * 10 / size
        return "\(tenths / 10).\(tenths % 10)"
    }
}
