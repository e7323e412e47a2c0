@testable import CleatStore

/// Counts operations and makes some of them fail.
final class Faults {
    /// The fault of the operation whose turn it is.
    enum Kind: String, CaseIterable, Sendable {
        case inputOutput, full, shortWrite, deadDevice, outOfMemory
    }

    let kind: Kind
    let turn: Int
    var count = 0
    var happened = false

    init(_ kind: Kind, at turn: Int) {
        self.kind = kind
        self.turn = turn
    }

    var hook: StorageHook {
        { operation in
            self.count += 1
            guard self.count == self.turn || (self.kind == .deadDevice && self.count > self.turn) else {
                return .proceed
            }
            self.happened = true
            switch self.kind {
            case .inputOutput, .deadDevice: return .fail(Self.code(of: operation.kind))
            case .full: return .fail(operation.kind == .write ? .full : Self.code(of: operation.kind))
            case .shortWrite: return .partial(operation.count / 2, .full)
            case .outOfMemory: return .fail(.outOfMemory)
            }
        }
    }

    static func code(of kind: StorageOperation.Kind) -> SQLiteCode {
        switch kind {
        case .open: .cannotOpen
        case .read: SQLiteCode(rawValue: 10 | 1 << 8)
        case .write: SQLiteCode(rawValue: 10 | 3 << 8)
        case .sync: SQLiteCode(rawValue: 10 | 4 << 8)
        case .truncate: SQLiteCode(rawValue: 10 | 6 << 8)
        case .delete: SQLiteCode(rawValue: 10 | 10 << 8)
        }
    }
}
