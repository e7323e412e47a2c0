/// The turns of those who want to use one connection, in the order in which they came.
struct CallQueue {
    private var isTaken = false
    private var waiting: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    private var nextID: UInt64 = 0

    /// Takes the turn where it is free.
    mutating func take() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }

    /// Gives a number to one who has to wait.
    mutating func makeID() -> UInt64 {
        nextID += 1
        return nextID
    }

    mutating func wait(_ id: UInt64, _ continuation: CheckedContinuation<Bool, Never>) {
        waiting.append((id, continuation))
    }

    /// Sends away one who does not want to wait any longer.
    mutating func leave(_ id: UInt64) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: place).continuation.resume(returning: false)
    }

    /// Passes the turn on.
    mutating func end() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().continuation.resume(returning: true)
        }
    }
}
