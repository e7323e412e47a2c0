import CleatAPI
import CleatFiles
import CleatSandbox
import CleatSettings

/// The error of the public protocols of files.
typealias FileFailure = CleatFiles.FilesError
/// An error of `dev.cleat.Files` on the wire.
typealias FileRefusal = CleatAPI.FilesError

extension FileFailure {
    /// Describes an error that the service returned; its message contains the remedy after the last semicolon.
    init(_ refusal: FileRefusal) {
        let code: Code =
            switch refusal.kind {
            case .unknownArea: .unknownArea
            case .invalidPath: .badPath
            case .notFound: .notFound
            case .refused, .failed, .areaUnavailable: Code(word: refusal.reason) ?? .failed
            case .quotaExceeded: refusal.resource == "files" ? .quotaFiles : .quotaBytes
            case .noSpace: .noSpace
            case .changed: .changed
            case .uploadConflict: .busy
            case .tooManyUploads: .tooMany
            case .tooLong: .tooLarge
            case .unknownUpload, .wrongOffset, .hashMismatch: .ended
            }
        var text = refusal.message[...]
        if text.utf8.last == UInt8(ascii: ".") { text = text.dropLast() }
        let end = text.utf8.lastIndex(of: UInt8(ascii: ";"))
        let message = end.map { text[..<$0] } ?? text
        self.init(
            code, path: refusal.path, message: message.prefix(1).lowercased() + message.dropFirst(),
            remedy: end.map { String(text[$0...].dropFirst(2)) })
    }

    /// Describes a call that the service has not answered.
    init(_ error: CleatError, _ path: FilesPath, in area: String, leavesDoubt: Bool = false) {
        let code: Code =
            switch error.code {
            case .unreachable: .unreachable
            case .timedOut: .timedOut
            case .denied: .denied
            case .cancelled: .cancelled
            default: .failed
            }
        var remedies = error.remedy.map { [$0] } ?? []
        if leavesDoubt, code != .denied { remedies.append("the change may have been made: check the file") }
        self.init(
            code, path: "\(path)", message: "“\(path)” in \(area): \(error.message)",
            remedy: remedies.isEmpty ? nil : remedies.joined(separator: "; "))
    }
}

extension FileAttributes {
    /// Reads the attributes of an entry on the wire, which has one time: that of its content.
    init(_ entry: FileInfo) {
        let type: FileKind =
            switch entry.type {
            case .file: .regular
            case .directory: .directory
            case .link: .symbolicLink
            case .other: .other
            }
        let time = Timestamp(entry.modified).map {
            FileTime(seconds: $0.seconds, nanoseconds: UInt32($0.nanoseconds))
        }
        let modified = time ?? FileTime(seconds: 0, nanoseconds: 0)
        self.init(
            type: type, size: entry.size, permissions: UInt16(entry.mode, radix: 8) ?? 0,
            owner: FileOwner(user: UInt32(clamping: entry.uid), group: UInt32(clamping: entry.gid)),
            modified: modified, changed: modified)
    }
}
