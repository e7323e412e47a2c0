import CleatViews
import SystemPackage

/// The standard output and standard error of a command.
struct Console: Sendable {
    var renderer: Renderer

    /// True if the output is text on a terminal.
    let isInteractive: Bool

    init(form: OutputForm) {
        isInteractive = form == .text && Process.isTerminal(.standardOutput)
        renderer = Renderer(form: form, colour: isInteractive && Self.wantsColour)
    }

    /// Prints a view; if the reader has closed the pipe and the view reports no completed operation, the command ends.
    func show(_ view: some TextPresentable & JSONPresentable) throws(CommandError) {
        do throws(CommandError) {
            try write(renderer.render(view))
        } catch {
            try Self.fail(error, after: view)
        }
    }

    /// Prints one item of a stream at once.
    func showItem(_ view: some TextPresentable & JSONPresentable) throws(CommandError) {
        do throws(CommandError) {
            try write(renderer.renderItem(view))
        } catch {
            try Self.fail(error, after: view)
        }
    }

    /// Adds the completed operation to the error of a failed write.
    ///
    /// If the reader of a completed operation has closed the pipe, the command continues, and its status shows the
    /// result.
    private static func fail(_ error: CommandError, after view: some TextPresentable) throws(CommandError) {
        guard let view = view as? any CompletedOperationPresentable else { throw error }
        if error.status == .success { return }
        guard let done = view.completedOperation else { throw error }
        var error = error
        error.message = "\(done), but \(error.message)"
        throw error
    }

    /// Prints a text unchanged; if the reader has closed the pipe, the command ends.
    func write(_ text: String) throws(CommandError) {
        guard !text.isEmpty else { return }
        try write { () throws(Errno) in try Process.write(text, to: .standardOutput) }
    }

    /// Prints bytes unchanged; if the reader has closed the pipe, the command ends.
    func write(_ bytes: [UInt8]) throws(CommandError) {
        guard !bytes.isEmpty else { return }
        try write { () throws(Errno) in try Process.write(bytes, to: .standardOutput) }
    }

    private func write(_ body: () throws(Errno) -> Void) throws(CommandError) {
        do {
            try body()
        } catch {
            // The reader has closed the pipe: the command ends without an error message.
            if error == .brokenPipe {
                throw CommandError(status: .success, layer: .output, code: "Output", message: "the output was closed")
            }
            throw CommandError(
                status: .failure, layer: .output, code: "Output", message: "the output could not be written: \(error)",
                remedy: "free space at the destination")
        }
    }

    /// Prints an error to standard error.
    func report(_ error: CommandError) {
        guard error.status != .success, !error.isReported else { return }
        var renderer = renderer
        renderer.colour = renderer.form == .text && Process.isTerminal(.standardError) && Self.wantsColour
        Self.printError(renderer.renderItem(error))
    }

    /// Writes a text to standard error; a failure to write is ignored.
    static func printError(_ text: String) {
        try? Process.write(text, to: .standardError)
    }

    /// True if the environment allows colours.
    private static var wantsColour: Bool {
        // https://no-color.org: any value but the empty one.
        if let value = Process.environment("NO_COLOR"), !value.isEmpty { return false }
        return Process.environment("TERM") != "dumb"
    }
}
