/// The limits of a directory with files.
public struct Quota: Sendable, Hashable {
    /// The most bytes of all files together, temporary ones included.
    public var bytes: Int64
    /// The most entries: files, directories and all other kinds.
    public var files: Int64

    /// Makes a quota from two limits.
    public init(bytes: Int64 = .max, files: Int64 = .max) {
        self.bytes = bytes
        self.files = files
    }

    /// No limits except those of the file system.
    public static let unlimited = Quota()
}

/// The usage of an area.
package struct AreaUsage: Sendable, Equatable {
    /// The total size of all files in bytes.
    package var bytes: Int64
    /// The number of entries: files, directories and all other kinds.
    package var files: Int64

    /// Makes a usage from two numbers.
    package init(bytes: Int64 = 0, files: Int64 = 0) {
        self.bytes = bytes
        self.files = files
    }

    static func + (left: AreaUsage, right: AreaUsage) -> AreaUsage {
        AreaUsage(
            bytes: saturating(left.bytes.addingReportingOverflow(right.bytes)),
            files: saturating(left.files.addingReportingOverflow(right.files)))
    }

    static func - (left: AreaUsage, right: AreaUsage) -> AreaUsage {
        AreaUsage(bytes: left.bytes &- right.bytes, files: left.files &- right.files)
    }

    private static func saturating(_ sum: (partialValue: Int64, overflow: Bool)) -> Int64 {
        sum.overflow ? .max : sum.partialValue
    }
}
