/// A first-in, first-out queue of the tasks that wait for one connection.
struct CallQueue {
    private var isTaken = false
    private var waiting: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    private var nextID: UInt64 = 0

    /// Takes the turn if it is free, and returns true if it was.
    mutating func take() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }

    /// Returns a new id for a task that has to wait.
    mutating func makeID() -> UInt64 {
        nextID += 1
        return nextID
    }

    mutating func wait(_ id: UInt64, _ continuation: CheckedContinuation<Bool, Never>) {
        waiting.append((id, continuation))
    }

    /// Removes a waiting task from the queue and resumes it with false.
    mutating func leave(_ id: UInt64) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: place).continuation.resume(returning: false)
    }

    /// Passes the turn to the first waiting task, or frees it.
    mutating func end() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().continuation.resume(returning: true)
        }
    }
}
