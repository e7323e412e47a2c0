import SystemPackage

/// The two streams that a command prints to.
struct Console: Sendable {
    var renderer: Renderer

    /// Whether the caller sits at a terminal and reads text there.
    let isInteractive: Bool

    init(form: OutputForm) {
        isInteractive = form == .text && Process.isTerminal(.standardOutput)
        renderer = Renderer(form: form, colour: isInteractive && Self.wantsColour)
    }

    /// Prints a view; where the reader of one that tells of no deed has gone, the process ends.
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

    /// Says with why it could not be told what has been done all the same.
    ///
    /// Where the reader of a deed has gone, the command goes on: its status tells how that ends.
    private static func fail(_ error: CommandError, after view: some TextPresentable) throws(CommandError) {
        guard let view = view as? any DeedPresentable else { throw error }
        if error.status == .success { return }
        guard let done = view.deed else { throw error }
        var error = error
        error.message = "\(done), but \(error.message)"
        throw error
    }

    /// Prints a text as it is; where the reader has gone, the process ends: nobody is there to be told more.
    func write(_ text: String) throws(CommandError) {
        guard !text.isEmpty else { return }
        try write { () throws(Errno) in try Process.write(text, to: .standardOutput) }
    }

    /// Prints bytes as they are, as the other way does.
    func write(_ bytes: [UInt8]) throws(CommandError) {
        guard !bytes.isEmpty else { return }
        try write { () throws(Errno) in try Process.write(bytes, to: .standardOutput) }
    }

    private func write(_ body: () throws(Errno) -> Void) throws(CommandError) {
        do {
            try body()
        } catch {
            // Nobody reads any more: that is the end, and nothing to complain about.
            if error == .brokenPipe {
                throw CommandError(status: .success, layer: .output, code: "Output", message: "nobody reads the output")
            }
            throw CommandError(
                status: .failure, layer: .output, code: "Output", message: "the output could not be written: \(error)",
                remedy: "see whether there is room where it goes")
        }
    }

    /// Reports an error on the standard error stream.
    func report(_ error: CommandError) {
        guard error.status != .success, !error.isTold else { return }
        var renderer = renderer
        renderer.colour = renderer.form == .text && Process.isTerminal(.standardError) && Self.wantsColour
        Self.complain(renderer.renderItem(error))
    }

    /// Writes a text to the standard error stream; a failure there can be told to nobody.
    static func complain(_ text: String) {
        try? Process.write(text, to: .standardError)
    }

    /// Whether colours are welcome on a terminal.
    private static var wantsColour: Bool {
        // https://no-color.org: any value but the empty one.
        if let value = Process.environment("NO_COLOR"), !value.isEmpty { return false }
        return Process.environment("TERM") != "dumb"
    }
}
