import CleatEmbedded

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SettingKey<Int> {
    static var count: Self { .init("counter/count", default: 0, .range(0...1_000_000), .title("Visitors so far")) }
}

extension SettingKey<String?> {
    static var door: Self { .init("counter/door", .title("Name of the door")) }
}

/// Counts visitors in a store of its own, without a service: `counter DIRECTORY [VISITORS]`, an absolute path.
@main
struct Counter {
    static let keys = SettingKeys(title: "Counter", .count, .door)

    static func main() async {
        keys.handleSchemaOption()
        let words = CommandLine.arguments.dropFirst()
        do {
            guard let visitors = Int(words.dropFirst().first ?? "1"), visitors >= 0 else {
                print("counter: the second word is the number of visitors, 0 or more")
                exit(64)
            }
            try await run(words.first ?? "/var/lib/counter", visitors: visitors)
        } catch {
            print("counter: \(error)")
            exit(1)
        }
    }

    static func run(_ directory: String, visitors: Int) async throws {
        // One process has the store open; a second one is refused.
        let store = try await EmbeddedStore.open(at: directory, declaring: keys)
        for note in store.notes { print("note: \(note)") }
        print("\(try store[.door] ?? "the door") has \(try store[.count])")

        // Each number that is printed is on the disk, whatever happens next.
        for _ in 0..<visitors {
            try await store.cleat.update(.count) { $0 += 1 }
            print(try store[.count])
            fflush(nil)
        }

        // Everything else is that of a client of the service: trials, snapshots, history.
        try await store.cleat.edit(confirm: .seconds(60)) {
            $0[.door] = "front"
        } whileOnTrial: { trial in
            if try store[.door] == "front" { try await trial.confirm() }
        }
        for entry in try await store.cleat.history(limit: 2) {
            print("\(entry.generation): \(entry.changes.map(\.description).joined(separator: ", "))")
        }
        try await store.close()
    }
}
