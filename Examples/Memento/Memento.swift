import Cleat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// Mementos: a plan, a snapshot, a change on trial, history, and a restore.
@main
struct Memento {
    static func main() async {
        do {
            try await run()
        } catch {
            print("memento: \(error)")
            exit(1)
        }
    }

    static func run() async throws {
        let cleat = try await Cleat.connect(checking: .hostname)
        let former = try await cleat[.hostname]

        // The effects of a change, without making it.
        let plan = try await cleat.plan { $0[.hostname] = "gateway" }
        for change in plan.changes { print("would change \(change)") }
        for step in plan.steps { print("\(step.action): \(step.resource)") }

        // The settings, and the files that follow them, under a name.
        let snapshot = try await cleat.snapshots.create("before-gateway", comment: "by memento")
        print("snapshot \(snapshot.name) of generation \(snapshot.generation)")

        // In force at once; without the confirmation the former state would be restored, also after a power cut.
        let outcome = try await cleat.edit(confirm: .seconds(60), comment: "memento: rename") { settings in
            settings[.hostname] = "gateway"
        } whileOnTrial: { trial in
            if try await cleat[.hostname] == "gateway" { try await trial.confirm() }
        }
        print("outcome: \(outcome)")

        for entry in try await cleat.history(limit: 2) {
            print("#\(entry.generation) \(entry.state) by \(entry.author): \(entry.comment ?? "no comment")")
        }

        // Back again, and clean up.
        try await cleat.snapshots.restore(snapshot.name)
        print("host name is \(former) again: \(try await cleat[.hostname] == former)")
        try await cleat.snapshots.delete(snapshot.name)
    }
}
