import CleatAPI
import CleatStore
import Synchronization

/// Returns the code of the error that a call throws; `none` if it throws none.
///
/// It is the error's name on the wire without its interface, with the code of a refused value or of the store's failure.
func refusal(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
        return "none"
    } catch let error as APIError {
        return error.code
    } catch let error as StoreError {
        return "store \(error.code)"
    } catch is CancellationError {
        return "cancelled"
    } catch {
        return "\(error)"
    }
}

extension APIError {
    /// The code, as ``refusal(_:)`` returns it.
    var code: String {
        let word = String(name.split(separator: ".").last ?? "")
        switch self {
        case .invalidValue(let problems), .settingLocked(let problems):
            return "\(word) \(Set(problems.map(\.code)).sorted().joined(separator: " "))"
        case .storeFailed(let code, _): return "\(word) \(code)"
        default: return word
        }
    }
}

/// A condition that holds from some moment on, for closures that other threads call.
final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
