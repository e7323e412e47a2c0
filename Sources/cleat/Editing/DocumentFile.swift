import ArgumentParser
import CleatSandbox
import CleatSettings
import CleatViews

/// A file that is included in a change of settings, as typed: `certs/ca.pem=./ca.pem`.
struct DocumentFile: ExpressibleByArgument, Hashable {
    /// The path in the area `documents`.
    let path: String
    /// The path of the local file.
    let local: String

    init?(argument: String) {
        guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")), sign > argument.startIndex else { return nil }
        path = String(argument[..<sign])
        local = String(argument[argument.utf8.index(after: sign)...])
        if local.isEmpty { return nil }
    }

    /// The setting that names the file's content.
    var setting: SettingPath? { try? SettingPath(segments: ["documents", path]) }
}

extension [DocumentFile] {
    /// Throws an error for files that no board would accept.
    ///
    /// - Throws: `ValidationError`.
    func validate(isVolatile: Bool, besides document: String) throws {
        if isVolatile, !isEmpty { throw ValidationError("files outlast the next boot; --file is not for --volatile") }
        var seen: Set<String> = []
        for file in self {
            do throws(SandboxError) {
                _ = try SandboxPath(file.path)
            } catch {
                throw ValidationError(
                    "--file \(file.path.printable): not a valid path in the area documents: \(error.reason)")
            }
            guard file.setting != nil else {
                throw ValidationError(
                    "--file \(file.path.printable): a path has at most 255 bytes, with ~ and / counted twice")
            }
            guard seen.insert(file.path).inserted else {
                throw ValidationError("--file \(file.path.printable) is given twice")
            }
        }
        if count(where: { $0.local == "-" }) + (document == "-" ? 1 : 0) > 1 {
            throw ValidationError("standard input is one file only")
        }
    }
}
