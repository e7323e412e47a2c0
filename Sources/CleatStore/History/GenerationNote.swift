/// The part of the service in a generation, besides its author's comment.
package enum GenerationNote: Sendable, Equatable {
    /// The generation reverts another one, which had a number and an id, for a reason.
    case reverts(Int64, id: String, reason: String)
    /// Probes confirmed the generation; their names, separated by commas.
    case confirmedBy(probes: String)
    /// The generation was confirmed a second time, since the store had lost the first confirmation for a reason.
    case confirmedAgain(reason: String)

    /// The columns that hold a note, in the order of `columns` and `init(_:from:)`.
    static let names = "reverts, reverted_id, reason, confirmed_by"

    /// The values of the columns.
    var columns: [SQLiteValue] {
        func text(_ text: String) -> SQLiteValue { .text(text.prefix(bytes: StoreLimits.commentBytes)) }
        return switch self {
        case .reverts(let generation, let id, let reason): [.integer(generation), .text(id), text(reason), .null]
        case .confirmedBy(let probes): [.null, .null, .null, text(probes)]
        case .confirmedAgain(let reason): [.null, .null, text(reason), .null]
        }
    }

    /// Reads a note from the columns of a row, the first of which has the number `first`; nil if they hold none.
    init?(_ row: Statement, from first: Int) throws(SQLiteError) {
        let reason: String? = try row.column(first + 2)
        if let reverted: Int64 = try row.column(first) {
            self = .reverts(reverted, id: try row.column(first + 1), reason: reason ?? "")
        } else if let probes: String = try row.column(first + 3) {
            self = .confirmedBy(probes: probes)
        } else if let reason {
            self = .confirmedAgain(reason: reason)
        } else {
            return nil
        }
    }

    /// The note as a clause for the history.
    package var text: String {
        switch self {
        case .reverts(let generation, let id, let reason): "generation \(generation) (“\(id)”) was reverted: \(reason)"
        case .confirmedBy(let probes): "confirmed by \(probes)"
        case .confirmedAgain(let reason): "confirmed again: \(reason)"
        }
    }
}
