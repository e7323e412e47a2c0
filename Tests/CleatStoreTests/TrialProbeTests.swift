import CleatJSON
import CleatSettings
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
        _ = try store.trials.arm(try request(id, [("a", .string(id))]), TrialRequest(window: 1_000, probes: probes))
    }

    @Test func probesAreThereUntilTheTrialEnds() throws {
        let probes = [
            StoredProbe("tcp:[2001:db8::1]:22"), StoredProbe("link:eth0", failure: "it has no carrier"),
            StoredProbe("command:web"),
        ]
        do {
            let store = try open()
            try arm(store, "one", probes)
            try store.trials.awaitConfirm(deadline: deadline(1))
        }
        do {
            let store = try open()
            #expect(try store.trials.current()?.probes == probes)
            _ = try store.trials.confirm(id: "one", note: .confirmedBy(probes: "tcp:[2001:db8::1]:22"))
            #expect(try store.history.record(id: "one")?.remarks == "confirmed by tcp:[2001:db8::1]:22")
            try arm(store, "two", [])
            #expect(try store.trials.current()?.probes == [])
            try store.undo()
            try arm(store, "three", [StoredProbe("link:x", failure: String(repeating: "é", count: 1_000))])
            #expect(try store.trials.current()?.probes.first?.failure?.utf8.count == StoreLimits.wordBytes)
            try store.undo()
            #expect(try store.store.open().value("SELECT count(*) FROM probes", as: Int64.self) == 0)
        }
    }

    @Test func aConfirmationByProbesIsAColumnAndTheHistoryKnowsItsSize() throws {
        let store = try open()
        for (id, comment) in [("a", nil), ("b", "why"), ("c", String(repeating: "x", count: 1_024))] {
            var request = try request(id, [("a", .string(id))])
            request.comment = comment
            _ = try store.trials.arm(request, TrialRequest(window: 1_000))
            _ = try store.trials.confirm(id: id, note: .confirmedBy(probes: "link:eth0"))
        }
        #expect(try store.history.record(id: "a")?.remarks == "confirmed by link:eth0")
        let record = try #require(try store.history.record(id: "b"))
        #expect(record.comment == "why" && record.note == .confirmedBy(probes: "link:eth0"))
        #expect(record.remarks == "why; confirmed by link:eth0")
        #expect(try store.history.record(id: "c")?.remarks?.hasSuffix("x; confirmed by link:eth0") == true)
        let size: Int64? = try store.store.open().value("SELECT sum(size) FROM generations")
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
            #expect(try store.trials.current() == nil)
        }
    }
}
