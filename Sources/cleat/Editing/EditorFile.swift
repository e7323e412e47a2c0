import CleatIO
import CleatSettings
import SystemPackage

/// A file of a private directory that an editor works on.
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
    }

    deinit {
        if !isKept { Process.removePrivateDirectory(directory) }
    }

    /// Keeps the text for the one who wrote it.
    func keep() { isKept = true }

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
    /// - Returns: nil where it ended well, else how it ended.
    func edit(with editor: String) throws(CommandError) -> String? {
        try Process.runOnTerminal(
            ["/bin/sh", "-c", editor + " \"$@\"", editor, path], clearing: Self.name, in: descriptor.descriptor,
            at: directory)
    }

    /// The editor that the environment names.
    static var editor: String {
        for name in ["VISUAL", "EDITOR"] {
            if let named = Process.environment(name), !named.isEmpty { return named }
        }
        return "vi"
    }
}
