/// The kind of a failure of an operation on files.
public struct FilesErrorCode: Sendable, Hashable, CustomStringConvertible {
    enum Value: String, Sendable, Hashable, CaseIterable {
        case badPath, notFound, exists, notDirectory, isDirectory, notEmpty, symbolicLink, mountPoint, specialFile
        case hardLink, quotaBytes, quotaFiles, noSpace, readOnly, denied, tooLarge, tooMany, busy, changed
        case inputOutput, resources, unsupported, failed, notDeclared, damaged, foreignLink
        case shared, cancelled, ended, outOfRange, unknownArea, unreachable, timedOut
    }

    let value: Value

    /// The path is not valid: it is absolute, has a name `..`, or is too long, for instance.
    public static let badPath = FilesErrorCode(value: .badPath)
    /// The path does not exist.
    public static let notFound = FilesErrorCode(value: .notFound)
    /// The path already exists.
    public static let exists = FilesErrorCode(value: .exists)
    /// A name in the path is not a directory.
    public static let notDirectory = FilesErrorCode(value: .notDirectory)
    /// The path is that of a directory, but a file is needed.
    public static let isDirectory = FilesErrorCode(value: .isDirectory)
    /// The directory is not empty.
    public static let notEmpty = FilesErrorCode(value: .notEmpty)
    /// The path is or contains a symbolic link.
    public static let symbolicLink = FilesErrorCode(value: .symbolicLink)
    /// Something is mounted at the path or on one of its parents.
    public static let mountPoint = FilesErrorCode(value: .mountPoint)
    /// The path is that of a FIFO, socket or device.
    public static let specialFile = FilesErrorCode(value: .specialFile)
    /// The file has more than one name, and the others may be outside of the directory.
    public static let hardLink = FilesErrorCode(value: .hardLink)
    /// The files would exceed their limit of bytes.
    public static let quotaBytes = FilesErrorCode(value: .quotaBytes)
    /// The files would exceed their limit of files.
    public static let quotaFiles = FilesErrorCode(value: .quotaFiles)
    /// The file system is full.
    public static let noSpace = FilesErrorCode(value: .noSpace)
    /// The file system is read-only.
    public static let readOnly = FilesErrorCode(value: .readOnly)
    /// This process lacks the permission.
    public static let denied = FilesErrorCode(value: .denied)
    /// The file is larger than the operation allows.
    public static let tooLarge = FilesErrorCode(value: .tooLarge)
    /// There are more entries, or deeper directories, than one operation handles.
    public static let tooMany = FilesErrorCode(value: .tooMany)
    /// The file is in use.
    public static let busy = FilesErrorCode(value: .busy)
    /// The file was exchanged while it was being opened.
    public static let changed = FilesErrorCode(value: .changed)
    /// The storage device failed.
    public static let inputOutput = FilesErrorCode(value: .inputOutput)
    /// Descriptors or memory are used up.
    public static let resources = FilesErrorCode(value: .resources)
    /// The file system or the kernel does not support the operation.
    public static let unsupported = FilesErrorCode(value: .unsupported)
    /// The system file is not declared to be managed.
    package static let notDeclared = FilesErrorCode(value: .notDeclared)
    /// A symbolic link at the path or on the way to it belongs to another user.
    package static let foreignLink = FilesErrorCode(value: .foreignLink)
    /// A stored memento is not valid.
    package static let damaged = FilesErrorCode(value: .damaged)
    /// The directory is not the program's own: other users may write to it, or it belongs to another user.
    public static let shared = FilesErrorCode(value: .shared)
    /// The task was cancelled before the operation started.
    public static let cancelled = FilesErrorCode(value: .cancelled)
    /// The handle was committed, discarded or closed before.
    public static let ended = FilesErrorCode(value: .ended)
    /// A number is out of range, such as a negative offset.
    public static let outOfRange = FilesErrorCode(value: .outOfRange)
    /// The board has no area of this name.
    public static let unknownArea = FilesErrorCode(value: .unknownArea)
    /// The service with the files is not running, or did not return within the time limit.
    public static let unreachable = FilesErrorCode(value: .unreachable)
    /// The service with the files did not answer within the time limit.
    public static let timedOut = FilesErrorCode(value: .timedOut)
    /// Any other error of the system.
    public static let failed = FilesErrorCode(value: .failed)

    /// The code as one word.
    public var description: String { value.rawValue }
}

extension FilesErrorCode {
    /// Returns the code of a word on the wire, such as `not_empty`; nil if there is none.
    package init?(word: String) {
        let letters = word.filter { $0 != "_" }
        guard let value = Value.allCases.first(where: { $0.rawValue.lowercased() == letters }) else { return nil }
        self.value = value
    }
}
