package import SystemPackage

/// The failure of an operation on a file of an area, with the reason and the remedy.
package struct SandboxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a failure.
    package typealias Code = FilesErrorCode

    /// The kind of failure.
    package let code: Code
    /// The operation as a verb: “read”, “write”, ….
    package let operation: String
    /// The area; nil for errors of a path or of a system file.
    package let area: Area?
    /// The path in the area, as given.
    package let path: String
    /// The system's error; nil if none was the cause.
    package let errno: Errno?
    /// The reason and the remedy; nil if the code says it all.
    package let detail: String?
    /// The numbers of an exceeded quota; nil for other errors.
    package let excess: QuotaExcess?

    /// Makes an error.
    package init(
        _ code: Code, _ operation: String, area: Area?, path: String, errno: Errno? = nil, detail: String? = nil,
        excess: QuotaExcess? = nil
    ) {
        self.code = code
        self.operation = operation
        self.area = area
        self.path = path
        self.errno = errno
        self.detail = detail
        self.excess = excess
    }

    /// Makes an error from a system error.
    package init(_ errno: Errno, _ operation: String, area: Area?, path: String, detail: String? = nil) {
        self.init(
            Code(errno), operation, area: area, path: path, errno: errno == .foreignLink ? nil : errno, detail: detail)
    }

    init(badPath path: String, _ fault: PathFault) {
        self.init(.badPath, "use", area: nil, path: Self.shown(path), detail: fault.rawValue)
    }

    /// Prepares untrusted text to be shown: its first 64 characters, without control characters that a terminal could
    /// execute.
    static func shown(_ text: String) -> String {
        text.unicodeScalars.prefix(64).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
        }.joined()
    }

    /// The error in one sentence.
    package var description: String {
        let place = area.map { path.isEmpty ? "the area “\($0)”" : "“\(path)” in the area “\($0)”" } ?? "“\(path)”"
        if code == .badPath, let detail { return "The path \(place) \(detail)." }
        if let detail { return "Could not \(operation) \(place): \(detail)." }
        return "Could not \(operation) \(place): \(code.meaning)\(errno.map { " (\($0))" } ?? "")."
    }
}

extension SandboxError.Code {
    /// Returns the kind of a system error.
    package init(_ errno: Errno) {
        switch errno {
        case .noSuchFileOrDirectory: self = .notFound
        case .fileExists: self = .exists
        case .notDirectory: self = .notDirectory
        case .isDirectory: self = .isDirectory
        case .directoryNotEmpty: self = .notEmpty
        case .tooManySymbolicLinkLevels: self = .symbolicLink
        case .improperLink: self = .mountPoint
        case .foreignLink: self = .foreignLink
        case .noSuchAddressOrDevice: self = .specialFile
        case .noSpace, .diskQuotaExceeded: self = .noSpace
        case .readOnlyFileSystem: self = .readOnly
        case .permissionDenied, .notPermitted: self = .denied
        case .fileTooLarge: self = .tooLarge
        case .resourceBusy, .textFileBusy, .wouldBlock: self = .busy
        case .ioError: self = .inputOutput
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory: self = .resources
        case .notSupported, .noFunction: self = .unsupported
        case .fileNameTooLong: self = .badPath
        default: self = .failed
        }
    }

    /// The meaning of the code, and the remedy.
    var meaning: String {
        switch value {
        case .badPath: "the path is not valid; give a relative path of plain names"
        case .notFound: "there is nothing of that name; check the path, or make its directory first"
        case .exists: "there is something of that name already; remove it first, or take another name"
        case .notDirectory: "a name on the way is not a directory; check the path"
        case .isDirectory: "it is a directory; name a file"
        case .notEmpty: "the directory is not empty; remove what is in it, or remove it with all it holds"
        case .symbolicLink: "a symbolic link is in the way, and links are not followed; remove it"
        case .mountPoint: "something is mounted there, and mounts are not entered; unmount it"
        case .specialFile: "it is a FIFO, a socket or a device, and those are not opened; remove it"
        case .hardLink: "it has another name, which may lie outside; remove that one, or replace the file by a copy"
        case .quotaBytes: "the bytes would exceed the quota; remove files, or raise it"
        case .quotaFiles: "the files would exceed the quota; remove files, or raise it"
        case .noSpace: "the file system is full; free space on it"
        case .readOnly: "the file system cannot be written to; make it writable"
        case .denied: "the system does not allow it; check owner and permissions"
        case .tooLarge: "it is too large for that; read or write it in parts"
        case .tooMany: "there are too many entries for one step; do it in parts"
        case .busy: "another program uses it; stop that, and try again"
        case .changed: "it was replaced by another program meanwhile; try again"
        case .inputOutput: "the storage device failed; check it and the kernel's log"
        case .resources: "file descriptors or memory are exhausted; stop what uses them, and try again"
        case .unsupported: "the file system cannot do that; use another one"
        case .foreignLink:
            "a symbolic link there, or on the way, belongs to neither root nor this service's user, and such a "
                + "link is not followed; remove it, or have it belong to root (chown -h)"
        case .notDeclared: "no adapter has declared it as a file that it manages; name a declared one"
        case .shared: "other users may write to it; use a directory of the program's own (chmod o-w, chown)"
        case .cancelled: "its task was cancelled, and nothing was changed; try again"
        case .ended: "it was committed or discarded before; open it again"
        case .outOfRange: "a number is out of range; give one that is not negative"
        case .unknownArea: "there is no such area; see `cleat file df`"
        case .unreachable: "the service is not running; start cleatd"
        case .timedOut: "the service did not answer; see `cleat status`"
        case .damaged: "it is truncated or damaged; use another copy"
        case .failed: "the system refused; see its reason"
        }
    }
}

extension SandboxError {
    /// The reason and the remedy, as the end of a sentence, for errors that name the file themselves.
    package var reason: String { detail ?? "\(code.meaning)\(errno.map { " (\($0))" } ?? "")" }

    /// The reason apart from the remedy, which is nil if the reason contains it.
    package var parts: (reason: String, remedy: String?) {
        let text = detail ?? code.meaning
        guard let end = text.utf8.lastIndex(of: UInt8(ascii: ";")) else { return (text, nil) }
        let cause = detail == nil ? errno.map { " (\($0))" } ?? "" : ""
        return (text[..<end] + cause, String(text[end...].dropFirst(2)))
    }
}

/// The numbers of an exceeded quota: the usage, the limit and the request, in bytes or in files.
package struct QuotaExcess: Sendable, Equatable {
    /// The usage, including the space reserved for uploads.
    package let used: Int64
    /// The limit.
    package let limit: Int64
    /// The requested increase.
    package let asked: Int64
}
