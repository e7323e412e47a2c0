internal import Synchronization

/// Keeps a peer that always has data ready from monopolizing the loop: after 16 steps without a wait, all other ready
/// work runs.
final class Turns: Sendable {
    private static let limit = 16

    private let loop: EventLoop
    private let taken = Atomic<Int>(0)

    init(loop: EventLoop) { self.loop = loop }

    /// Counts a step that did not have to wait.
    func take() async {
        guard taken.add(1, ordering: .relaxed).newValue >= Self.limit else { return }
        reset()
        await loop.yield()
    }

    /// Resets the count, after a wait.
    func reset() { taken.store(0, ordering: .relaxed) }
}
