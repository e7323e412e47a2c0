package import CleatIO
import SystemPackage

/// The thread with the event loop of all clients of this process; it starts with the first and ends with the last.
package enum SharedLoop {
    /// Returns the thread, which runs for as long as a reference to it exists.
    package static func take() throws(CleatError) -> LoopThread {
        do throws(Errno) {
            return try LoopThread.shared()
        } catch {
            throw CleatError(.failed, "no thread and no loop can be made for the settings: \(error)")
        }
    }
}

extension LoopThread {
    /// Waits a short random time, which grows with each lost attempt, so that no client loses for ever.
    package func pause(attempt: Int) async throws(CleatError) {
        do {
            try await loop.sleep(for: .milliseconds(Int.random(in: 0..<(1 << min(attempt, 6)))))
        } catch {
            throw CleatError(.cancelled, "the task was cancelled between two attempts")
        }
    }

    /// Runs a call in a task of its own, which a cancelled caller does not cancel.
    package func shielded<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(CleatError) -> Value
    ) async throws(CleatError) -> Value {
        let task = loop.task { () -> Result<Value, CleatError> in
            do throws(CleatError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }
}
