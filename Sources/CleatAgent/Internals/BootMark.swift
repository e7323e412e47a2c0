package import SystemPackage

/// A mark in the runtime directory which shows that the settings were applied to the system in this boot.
package struct BootMark: Sendable {
    private static let name = "applied"

    private let file: FilePath
    private let bootID: String

    /// Creates the object for the mark of a boot, without writing it.
    ///
    /// - Parameters:
    ///   - directory: The runtime directory.
    ///   - bootID: The id of this boot.
    package init(directory: FilePath, bootID: String) {
        file = directory.appending(Self.name)
        self.bootID = bootID
    }

    /// True if the mark of this boot is present; an unreadable one does not count.
    package var isThere: Bool {
        (try? BoundedFile.read(file, limit: 256)).flatMap { $0 } == Array(bootID.utf8)
    }

    /// Writes the mark; a truncated one does not count.
    ///
    /// - Throws: `FileError` if it could not be written.
    package func put() throws {
        do {
            let descriptor = try FileDescriptor.open(
                file, .writeOnly, options: [.create, .truncate, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try descriptor.closeAfter { _ = try descriptor.writeAll(bootID.utf8) }
        } catch {
            throw FileError(file, verb: "write", error)
        }
    }
}
