import Synchronization

/// Gathers texts from several tasks.
final class TextBox: Sendable {
    private let state = Mutex("")

    /// The collected text.
    var text: String { state.withLock { $0 } }

    /// Adds a text.
    func append(_ text: String) { state.withLock { $0 += text } }
}
