import CleatAPI
import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatStore

@Suite struct TrialProbeTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open() throws(StoreError) -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits, hook: nil)
    }

    private func arm(_ store: StoreFile, _ id: String, _ probes: [StoredProbe]) throws {
        _ = try store.arm(try request(id, [("a", .string(id))]), TrialRequest(window: 1_000, probes: probes))
    }

    @Test func probesAreThereUntilTheTrialEnds() throws {
        let probes = [
            StoredProbe("tcp:[2001:db8::1]:22"), StoredProbe("link:eth0", failure: "it has no carrier"),
            StoredProbe("command:web"),
        ]
        do {
            let store = try open()
            try arm(store, "one", probes)
            try store.awaitConfirm(deadline: deadline(1))
        }
        do {
            let store = try open()
            #expect(try store.trial()?.probes == probes)
            _ = try store.confirm(id: "one", note: "kept by tcp:[2001:db8::1]:22")
            #expect(try store.record(id: "one")?.comment == "kept by tcp:[2001:db8::1]:22")
            try arm(store, "two", [])
            #expect(try store.trial()?.probes == [])
            try store.undo()
            try arm(store, "three", [StoredProbe("link:x", failure: String(repeating: "é", count: 1_000))])
            #expect(try store.trial()?.probes.first?.failure?.utf8.count == StoreLimits.wordBytes)
            try store.undo()
            #expect(try store.open().value("SELECT count(*) FROM probes", as: Int64.self) == 0)
        }
    }

    @Test func theCommentGrowsByTheNoteAndTheHistoryKnowsItsSize() throws {
        let store = try open()
        for (id, comment) in [("a", nil), ("b", "why"), ("c", String(repeating: "x", count: 1_024))] {
            var request = try request(id, [("a", .string(id))])
            request.comment = comment
            _ = try store.arm(request, TrialRequest(window: 1_000))
            _ = try store.confirm(id: id, note: "kept by link:eth0")
        }
        #expect(try store.record(id: "b")?.comment == "why; kept by link:eth0")
        #expect(try store.record(id: "c")?.comment?.utf8.count == StoreLimits.commentBytes)
        let size: Int64? = try store.open().value("SELECT sum(size) FROM generations")
        #expect(try store.statistics().historyBytes == size)
    }

    @Test func moreThanTheLimitIsRefusedAndNothingIsOnTrial() throws {
        let store = try open()
        for probes in [
            (0...StoreLimits.probes).map { StoredProbe("link:eth\($0)") }, [StoredProbe("")],
            [StoredProbe(String(repeating: "x", count: StoreLimits.wordBytes + 1))],
        ] {
            let error = #expect(throws: StoreError.self) { try arm(store, "one", probes) }
            #expect(error?.code == .limit)
            #expect(try store.trial() == nil)
        }
    }

    @Test func aStoreOfFormat12GainsTheTable() throws {
        do {
            let store = try open()
            let database = try store.open()
            try database.execute("DROP TABLE probes")
            try database.execute("PRAGMA user_version=1002")
            try store.close(stamp: nil)
        }
        let store = try open()
        #expect(try store.open().value("PRAGMA user_version", as: Int64.self) == 1_004)
        try arm(store, "one", [StoredProbe("link:eth0")])
        #expect(try store.trial()?.probes == [StoredProbe("link:eth0")])
    }
}
