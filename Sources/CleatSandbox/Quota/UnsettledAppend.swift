internal import CleatIO
internal import SystemPackage

/// The record of an interrupted append that could not be reverted, or whose record could not be removed.
struct UnsettledAppend: Sendable {
    let record: AppendRecord
    let directory: Descriptor
    let cause: Errno
}
