internal import SystemPackage

extension EventLoop {
    /// Runs a child process and waits for its end.
    ///
    /// The process leads a session and process group of its own. At its end, at its time limit and when the task is
    /// cancelled everything in the group is killed. What it prints is read as it comes; a process outside of the group
    /// that keeps the output open is not waited for.
    ///
    /// - Parameter command: What is run, and within which bounds.
    /// - Returns: How it ended and what it printed, also where it failed or ran out of time.
    /// - Throws: ``SpawnError`` where it could not be started, or the task was cancelled.
    package func run(_ command: ChildCommand) async throws(SpawnError) -> ChildResult {
        if Task.isCancelled { throw SpawnError(.cancelled, program: command.program.name) }
        let child = try await start(command)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { child.wait($0) }
        } onCancel: {
            child.cancel()
        }
        return try outcome.get()
    }

    /// Starts a child, again where somebody still has the program open for writing: a process that is between fork and
    /// exec may hold the writer's descriptor for a moment.
    private func start(_ command: ChildCommand) async throws(SpawnError) -> RunningChild {
        var attempts = 10
        while true {
            do throws(SpawnError) {
                return try RunningChild.start(command, loop: self)
            } catch {
                attempts -= 1
                guard error.underlying == .textFileBusy, attempts > 0 else { throw error }
            }
            do { try await self.sleep(for: .milliseconds(10)) } catch {
                throw SpawnError(.cancelled, program: command.program.name)
            }
        }
    }
}
