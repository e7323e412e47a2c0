import CleatFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeps readings in a directory of its own, and answers a request: `recorder DIRECTORY`.
@main
struct Recorder {
    static func main() async {
        do {
            try await run(CommandLine.arguments.dropFirst().first ?? "recorder-files")
        } catch {
            print("recorder: \(error)")
            exit(1)
        }
    }

    static func run(_ directory: String) async throws(FilesError) {
        // Nothing leaves this directory, and it never grows beyond 64 KiB.
        let sandbox = try await Sandbox.open(at: directory, quota: Quota(bytes: 64 << 10, files: 100))

        // Appended bytes survive a power cut, all of them or none. A small file is rotated.
        try await sandbox.makeDirectory("log", withParents: true)
        for reading in 1...3 { try await sandbox.append(Array("reading \(reading)\n".utf8), to: "log/today.txt") }
        try await sandbox.changeExtension(of: "log/today.txt", to: "old", replacing: true)

        // A stream becomes visible when it is committed, complete or never.
        let writer = try await sandbox.writer("summary.txt", permissions: 0o600)
        for try await part in try await sandbox.reader("log/today.old").parts {
            try await writer.write(Array("\(part.count) bytes of readings\n".utf8))
        }
        try await writer.commit()

        // A path that leads out is refused, with the reason and the remedy.
        do throws(FilesError) {
            _ = try await sandbox.read("../etc/passwd")
        } catch {
            print("refused: \(error)")
        }

        // Each file that another program has completely written; here the program writes one itself.
        try await sandbox.makeDirectory("requests", withParents: true)
        let arrivals = try await sandbox.arrivals(in: "requests")
        try await sandbox.write(Array("list".utf8), to: "requests/1")
        for try await arrival in arrivals {
            guard case .file(let request) = arrival else { continue }
            try await answer(request.path, in: sandbox)
            break
        }
    }

    // Any implementation of the protocols will do: a directory, or files in memory in a test.
    static func answer(_ request: FilesPath, in files: some Files) async throws(FilesError) {
        let text = String(decoding: try await files.read(request, limit: 100), as: UTF8.self)
        print("request \(request): \(text)")
        try await files.remove(request)
        for try await entry in files.list(recursive: true) where entry.attributes.type == .regular {
            let permissions = String(entry.attributes.permissions, radix: 8)
            print("\(entry.path) \(permissions) \(entry.attributes.size) bytes")
        }
    }
}
