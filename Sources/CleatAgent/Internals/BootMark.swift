package import SystemPackage

/// Marks, in the runtime directory, that the system was made what the settings say since the kernel was started.
package struct BootMark: Sendable {
    private static let name = "applied"

    private let file: FilePath
    private let bootID: String

    /// Names the mark of a boot.
    ///
    /// - Parameters:
    ///   - directory: The runtime directory.
    ///   - bootID: The id of this boot.
    package init(directory: FilePath, bootID: String) {
        file = directory.appending(Self.name)
        self.bootID = bootID
    }

    /// Whether the mark of this boot is there; one that cannot be read is none.
    package var isThere: Bool {
        (try? BoundedFile.read(file, limit: 256)).flatMap { $0 } == Array(bootID.utf8)
    }

    /// Puts the mark; one that is cut short is none.
    ///
    /// - Throws: `FileError`, where it could not be written.
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
