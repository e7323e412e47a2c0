internal import SystemPackage

extension EventLoop {
    /// Runs a child process and waits for its end.
    ///
    /// The process leads a session and process group of its own. Every process in the group is killed when the child
    /// ends (``ChildCommand/detachGrace`` later), when it reaches its time limit and when the task is cancelled. Output is read as it arrives; a process
    /// outside of the group that keeps the output open is not waited for.
    ///
    /// - Parameter command: The program and its limits.
    /// - Returns: The exit status and the output, also if the program failed or exceeded its time limit.
    /// - Throws: ``SpawnError`` if the program could not be started, or the task was cancelled.
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

    /// Starts a child; retries while the program is open for writing (ETXTBSY), since a process between fork and exec
    /// may hold the writer's descriptor for a moment.
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
