import CleatTestSupport
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Compares texts with files that a person has read once.
///
/// `CLEAT_UPDATE_GOLDEN=1` writes the files again; read the difference before it is committed.
enum Golden {
    private static let directory = TestPlaces.package.appending("Tests/CommandLineTests/Golden")

    private static let updates = unsafe getenv("CLEAT_UPDATE_GOLDEN") != nil

    /// Compares a text with a file.
    static func expect(
        _ text: String, matches name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = directory.appending(name)
        if updates {
            let file = try FileDescriptor.open(
                path, .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            _ = try file.closeAfter { try file.writeAll(text.utf8) }
            return
        }
        let known = try #require(
            read(path), "Golden/\(name) is missing; write it with CLEAT_UPDATE_GOLDEN=1",
            sourceLocation: sourceLocation)
        #expect(text == known, "Golden/\(name) differs", sourceLocation: sourceLocation)
    }

    private static func read(_ path: FilePath) -> String? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else { return nil }
        return try? file.closeAfter {
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = try unsafe chunk.withUnsafeMutableBytes { unsafe try file.read(into: $0) }
                if count == 0 { return String(decoding: bytes, as: UTF8.self) }
                bytes += chunk[..<count]
            }
        }
    }
}
