import CleatIO
import CleatSettings
import SystemPackage

/// A file of a private directory that an editor works on.
///
/// Where SIGINT, SIGQUIT, SIGTERM or SIGHUP ends the process, the directory goes with it; a text that somebody has
/// changed stays, and standard error is told where. While an editor runs, what is typed at the terminal is its own.
final class EditorFile {
    /// The directory, which nobody else may look into.
    let directory: String
    private let descriptor: Descriptor
    private var isKept = false
    private static let name = "settings.json5"

    /// Where the file lies.
    var path: String { directory + "/" + Self.name }

    /// Makes the directory.
    init() throws(CommandError) {
        directory = try Process.makePrivateDirectory("cleat-edit-")
        do {
            descriptor = Descriptor(
                owning: try FileDescriptor.open(
                    FilePath(directory), .readOnly, options: [.directory, .noFollow, .closeOnExec]))
        } catch {
            throw .local("\(directory) cannot be opened: \(error)")
        }
        Process.clearWhenEnded(Self.name, in: descriptor.descriptor, at: directory)
    }

    deinit {
        if !isKept {
            Process.markWork(nil)
            Process.removePrivateDirectory(directory)
        }
        Process.clearNothingWhenEnded()
    }

    /// Keeps the text for the one who wrote it.
    func keep() { isKept = true }

    /// Says that what stands in the file, now and from here on, is somebody's work.
    func holdsWork() { Process.markWork(true) }

    /// Writes the text.
    func write(_ text: String) throws(CommandError) {
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .truncate, .noFollow, .closeOnExec],
                permissions: .ownerReadWrite)
            try file.closeAfter { _ = try file.writeAll(text.utf8) }
        } catch {
            throw .local("\(path) cannot be written: \(error)", remedy: "name a directory with more room in TMPDIR")
        }
        Process.markWork(false)
    }

    /// Reads the text, in the place of which the editor may have put another file.
    func read() throws(CommandError) -> String {
        let bytes = try TextFile.read(path, limit: SettingsDocument.maximumBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            isKept = true
            throw .local("\(path) is not UTF-8 any more; nothing was changed", remedy: "your text is kept there")
        }
        return text
    }

    /// Has an editor work on the file; what it is called may have arguments, as the shell reads them.
    ///
    /// What is typed at the terminal reaches the shell as well as the editor. The shell goes on: it catches the signals,
    /// and so the editor, which it starts, begins with none of them ignored. sh(1), trap
    ///
    /// - Returns: nil where it ended well, else how it ended.
    func edit(with editor: String) throws(CommandError) -> String? {
        try Process.runOnTerminal(["/bin/sh", "-c", "trap : INT QUIT\n\(editor) \"$@\"", editor, path])
    }

    /// The editor that the environment names.
    static var editor: String {
        for name in ["VISUAL", "EDITOR"] {
            if let named = Process.environment(name), !named.isEmpty { return named }
        }
        return "vi"
    }
}
