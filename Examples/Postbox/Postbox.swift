import Cleat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Moves each file that arrives in the board's inbox to `documents/received`: `postbox [COUNT]`.
@main
struct Postbox {
    let inbox: any Files & FilesWatching
    let documents: any Files & FilesWatching

    static func main() async {
        do {
            let files = try await Cleat.connect(waitsForService: true).files
            let postbox = Postbox(
                inbox: try await files.area("inbox"), documents: try await files.area("documents"))
            try await postbox.run(until: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max)
        } catch {
            print("postbox: \(error)")
            exit(1)
        }
    }

    func run(until count: Int) async throws(FilesError) {
        try await documents.makeDirectory("received", withParents: true)
        // From here on no arrival is missed; the earlier files are listed.
        let arrivals = try await inbox.arrivals(in: FilesPath.root)
        var taken = try await takeAll()
        guard taken < count else { return }
        for try await arrival in arrivals {
            switch arrival {
            case .file(let entry): taken += try await take(entry)
            case .refused(let error): print(error)
            // The service was restarted, or there were too many arrivals at once.
            case .lost: taken += try await takeAll()
            }
            if taken >= count { return }
        }
    }

    func takeAll() async throws(FilesError) -> Int {
        var taken = 0
        for try await entry in inbox.list() where entry.attributes.type == .regular { taken += try await take(entry) }
        return taken
    }

    func take(_ entry: FilesEntry) async throws(FilesError) -> Int {
        guard let name = entry.path.name, try await inbox.exists(entry.path) else { return 0 }
        let before = try await inbox.attributes(of: entry.path)
        // In parts: a file is never in memory as a whole, and a restart of the service only delays it.
        try await inbox.copy(entry.path, into: documents, as: FilesPath("received").appending(name))
        // A file that has replaced it meanwhile is an arrival of its own.
        guard try await inbox.attributes(of: entry.path) == before else { return 0 }
        try await inbox.remove(entry.path)
        print("received/\(name) \(entry.attributes.size) bytes")
        return 1
    }
}
