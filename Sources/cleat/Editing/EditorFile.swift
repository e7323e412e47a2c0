import CleatIO
import CleatSettings
import SystemPackage

/// A file in a private directory that an editor opens.
///
/// If SIGINT, SIGQUIT, SIGTERM or SIGHUP ends the process, the directory is removed; but a text that the user has
/// changed stays, and its path is printed to standard error. While an editor runs, it receives the terminal's input.
final class EditorFile {
    /// The directory, which only the user can read.
    let directory: String
    private let descriptor: Descriptor
    private var isKept = false
    private static let name = "settings.json5"

    /// The path of the file.
    var path: String { directory + "/" + Self.name }

    /// Creates the directory.
    init() throws(CommandError) {
        directory = try LocalFiles.makePrivateDirectory("cleat-edit-")
        do {
            descriptor = Descriptor(
                owning: try FileDescriptor.open(
                    FilePath(directory), .readOnly, options: [.directory, .noFollow, .closeOnExec]))
        } catch {
            throw .local("\(directory) cannot be opened: \(error)")
        }
        SignalCleanup.clearWhenEnded(Self.name, in: descriptor.descriptor, at: directory)
    }

    deinit {
        if !isKept {
            SignalCleanup.markWork(nil)
            LocalFiles.removePrivateDirectory(directory)
        }
        SignalCleanup.clearNothingWhenEnded()
    }

    /// Keeps the file after the process ends.
    func keep() { isKept = true }

    /// Marks the file as holding the user's changes, from now on.
    func holdsWork() { SignalCleanup.markWork(true) }

    /// Writes the text.
    func write(_ text: String) throws(CommandError) {
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .truncate, .noFollow, .closeOnExec],
                permissions: .ownerReadWrite)
            try file.closeAfter { _ = try file.writeAll(text.utf8) }
        } catch {
            throw .local("\(path) cannot be written: \(error)", remedy: "set TMPDIR to a directory with more space")
        }
        SignalCleanup.markWork(false)
    }

    /// Reads the text; the editor may have replaced the file.
    func read() throws(CommandError) -> String {
        let bytes = try TextFile.read(path, limit: SettingsDocument.maximumBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            isKept = true
            throw .local("\(path) is not UTF-8 any more; nothing was changed", remedy: "your text is kept there")
        }
        return text
    }

    /// Runs an editor on the file; its name may contain arguments, as the shell parses them.
    ///
    /// The terminal's signals reach the shell as well as the editor. The shell continues: it traps the signals, and so
    /// the editor, which it starts, does not inherit them as ignored. sh(1), trap
    ///
    /// - Returns: nil if the editor succeeded, else a description of its end.
    func edit(with editor: String) throws(CommandError) -> String? {
        try TerminalProgram.run(["/bin/sh", "-c", "trap : INT QUIT\n\(editor) \"$@\"", editor, path])
    }

    /// The editor that the environment names, else vi.
    static var editor: String {
        for name in ["VISUAL", "EDITOR"] {
            if let named = Process.environment(name), !named.isEmpty { return named }
        }
        return "vi"
    }
}

/// A program that runs on this terminal to its end, such as an editor.
enum TerminalProgram {
    /// Runs a program and waits for its end; meanwhile SIGINT and SIGQUIT affect only the program. system(3)
    ///
    /// - Returns: nil if the program exited with 0, else a description of its end.
    static func run(_ arguments: [String]) throws(CommandError) -> String? {
        let typed: [Signal] = [.interrupt, .quit]
        var command = ConsoleChild.Command(arguments)
        command.defaultSignals += typed.filter { !$0.isIgnored }
        do throws(Errno) {
            let end = try Signal.ignoring(typed) { () throws(Errno) in try ConsoleChild(command).end(wait: true) }
            return end == nil || end == .exited(0) ? nil : end?.description
        } catch {
            throw .local("\(arguments[0]) cannot be started: \(error)")
        }
    }
}
