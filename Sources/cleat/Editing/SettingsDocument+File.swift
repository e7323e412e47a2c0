import CleatAPI
import CleatSettings

extension SettingsDocument {
    /// Reads a file of settings, as a command line names it.
    ///
    /// - Parameters:
    ///   - file: its path, or `-` for standard input.
    ///   - prefix: the path that it is about; nil where that is the whole tree.
    /// - Returns: the file, what it says, and the path as it was read.
    /// - Throws: a ``CommandError`` where the file cannot be read or understood, or the path is none.
    static func read(
        file: String, prefix: String?
    ) throws(CommandError) -> (source: TextFile, document: SettingsDocument, path: SettingPath?) {
        let source = TextFile(name: file == "-" ? "standard input" : file)
        let text = try TextFile.read(file, limit: SettingsDocument.maximumBytes)
        var path: SettingPath?
        if let prefix {
            do {
                path = try SettingPath(prefix)
            } catch {
                throw CommandError(APIError.invalidPath(path: prefix, message: "\(error)"))
            }
        }
        do {
            return (source, try SettingsDocument.read(text, under: path), path)
        } catch {
            throw source.refusal(error)
        }
    }
}
