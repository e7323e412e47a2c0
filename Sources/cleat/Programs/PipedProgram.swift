import CleatIO
import SystemPackage

/// Runs a program with pipes as its standard streams, and keeps the last part of its standard error.
final class PipedProgram {
    /// The time that the program has to exit after its pipes were closed, before it gets SIGTERM.
    private static let patience = Duration.seconds(2)

    /// The write end of the program's standard input.
    let input: Descriptor
    /// The read end of the program's standard output.
    let output: Descriptor
    private let program: ConsoleChild
    private let errors: StderrReader
    private var result: (end: ChildResult.Status, errors: String)?

    /// Starts a program, which is searched for in `PATH`.
    ///
    /// With `showsErrors`, its standard error is also written to that of this process.
    init(_ arguments: [String], showsErrors: Bool) throws(Errno) {
        let (childInput, input) = try Descriptor.pipe()
        let (output, childOutput) = try Descriptor.pipe()
        let (errors, childErrors) = try Descriptor.pipe()
        defer { for end in [childInput, childOutput, childErrors] { end.close() } }
        var command = ConsoleChild.Command(arguments)
        command.streams = (childInput.descriptor, childOutput.descriptor, childErrors.descriptor)
        program = try ConsoleChild(command)
        (self.input, self.output) = (input, output)
        self.errors = try StderrReader(errors, shows: showsErrors)
    }

    /// Closes the pipes and waits for the program's end; after two seconds it gets SIGTERM.
    func finish() -> (end: ChildResult.Status, errors: String) {
        if let result { return result }
        input.close()
        output.close()
        let end = waitForEnd()
        let finished = (end, errors.finish())
        result = finished
        return finished
    }

    private func waitForEnd() -> ChildResult.Status {
        do {
            // A program exits at once when its pipes are closed, unless the network hangs.
            let limit = ContinuousClock.now + Self.patience
            while ContinuousClock.now < limit {
                if let end = try program.end() { return end }
                Process.pause(milliseconds: 5)
            }
            program.send(.terminate)
            return try program.end(wait: true) ?? .exited(0)
        } catch {
            return .exited(0)
        }
    }

    /// Sends SIGTERM to the program without waiting for its end; does nothing after ``finish()``.
    func terminate() { if result == nil { program.send(.terminate) } }
}
