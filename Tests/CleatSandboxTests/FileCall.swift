import SystemPackage

/// Names a call of the facade, for a test that makes it fail.
enum FileCall: String, CaseIterable {
    // Those that change nothing.
    case openBeneath, openName, reopen, attributes, attributesOfName, checkAccess, read, names, space
    // Those that change files.
    case create, write, flush, setOwner, setPermissions, close, rename, flushDirectory, remove
    case writeBack, truncate, move, makeDirectory, removeDirectory, removeFile, clone, copy
    // Those of managed files alone, which change nothing.
    case openInRoot, readLink, isMountPoint, attributeNames, attribute
    // Those of managed files alone, which change files.
    case setAttribute, removeAttribute, makeLink, setOwnerOfLink

    static let managed: Set<FileCall> = [
        .openInRoot, .readLink, .isMountPoint, .attributeNames, .attribute, .setAttribute, .removeAttribute,
        .makeLink, .setOwnerOfLink,
    ]

    var changes: Bool {
        switch self {
        case .openBeneath, .openName, .reopen, .attributes, .attributesOfName, .checkAccess, .read, .names, .space,
            .close, .openInRoot, .readLink, .isMountPoint, .attributeNames, .attribute:
            false
        default: true
        }
    }

    /// True if it takes bytes, of which a part may be written when it fails.
    var takesBytes: Bool { self == .write || self == .copy || self == .clone }
}

/// Says what becomes of one call.
enum CallFate {
    case works
    /// Fails, and does nothing.
    case fails(Errno)
    /// Fails after it has done its work: what a caller takes for not done is.
    case failsLate(Errno)
    /// Fails after it has written half of the bytes, as on a disk that becomes full; a call that writes none does nothing.
    case failsHalfway(Errno)
}

/// Says when calls fail.
enum CallFault {
    case never
    /// The call of that number, from 0, and no other.
    case once(at: Int, Errno)
    /// The call of that number and all that follow: as if the process had ended there.
    case from(Int, Errno)
    /// Every call of one kind.
    case every(FileCall, Errno)

    /// Returns the effect on a call.
    ///
    /// An interrupted write has written nothing, and a process that has ended writes no more.
    func fate(of call: FileCall, _ number: Int) -> CallFate {
        switch self {
        case .never: .works
        case .once(let at, let error):
            number != at ? .works : error == .interrupted ? .fails(error) : .failsHalfway(error)
        case .from(let at, let error): number < at ? .works : number == at ? .failsHalfway(error) : .fails(error)
        case .every(let kind, let error): call == kind ? .failsHalfway(error) : .works
        }
    }
}
