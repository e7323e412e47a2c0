internal import CleatIO
internal import SystemPackage

/// A record of bytes that were added which could not be taken away, with or without what it tells of.
struct UnsettledAppend: Sendable {
    let record: AppendRecord
    let directory: Descriptor
    let cause: Errno
}
