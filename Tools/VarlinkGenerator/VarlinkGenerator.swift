import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The program: `VarlinkGenerator DIRECTORY FILE.varlink…` writes the Swift sources of the interfaces to the directory.
@main
enum VarlinkGenerator {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let directory = arguments.first, arguments.count > 1 else {
            return fail("usage: VarlinkGenerator DIRECTORY FILE.varlink…", status: 2)
        }
        do {
            let sources = try arguments.dropFirst().map { path in
                Generator.Source(
                    file: FilePath(path).lastComponent?.string ?? path, text: try read(FilePath(path)))
            }
            for file in try Generator.generate(sources) {
                try write(file.text, to: FilePath(directory).appending(file.file))
            }
        } catch {
            fail("\(error)", status: 1)
        }
    }

    private static func read(_ path: FilePath) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            while true {
                var piece = [UInt8](repeating: 0, count: 1 << 16)
                let count = try unsafe piece.withUnsafeMutableBytes { unsafe try file.read(into: $0) }
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += piece[..<count]
            }
        }
    }

    private static func write(_ text: String, to path: FilePath) throws {
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite, .groupRead, .otherRead])
        _ = try file.closeAfter { try file.writeAll(text.utf8) }
    }

    private static func fail(_ message: String, status: Int32) {
        _ = try? FileDescriptor.standardError.writeAll("VarlinkGenerator: \(message)\n".utf8)
        exit(status)
    }
}
