import CleatAPI
import CleatSettings

extension SettingsDocument {
    /// Reads a file of settings that is named on the command line.
    ///
    /// - Parameters:
    ///   - file: the path of the file, or `-` for standard input.
    ///   - prefix: the path that all settings must be below; nil for the whole tree.
    /// - Returns: the file, its settings, and the parsed prefix.
    /// - Throws: a ``CommandError`` if the file cannot be read or parsed, or the prefix is not a valid path.
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
