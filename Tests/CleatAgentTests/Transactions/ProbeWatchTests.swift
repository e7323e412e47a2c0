import CleatAPI
import CleatHooks
import CleatStore
import Testing

@testable import CleatAgent

@Suite("Probes of a change on trial")
struct ProbeWatchTests {
    private static let good = ProbeOutcome(holds: true, "well")
    private static let bad = ProbeOutcome(holds: false, "ill")

    private static func watch(_ outcomes: Bool...) throws -> ProbeWatch {
        let probes = try outcomes.indices.map { index in try Probe("link:eth\(index)") }
        return ProbeWatch(probes, before: outcomes.map { $0 ? good : bad })
    }

    @Test("All must hold twice in succession, and a failed one restarts the count")
    func twice() throws {
        var watch = try Self.watch(true, true)
        #expect(watch.names == "link:eth0, link:eth1" && watch.reports.map(\.state) == [.waiting, .waiting])
        let round1 = watch.note([Self.good, Self.good])
        #expect(!round1)
        let round2 = watch.note([Self.good, Self.bad])
        #expect(!round2)
        #expect(watch.reports.map(\.state) == [.holds, .fails])
        #expect(watch.missing == "link:eth1 did not hold (ill)")
        let round3 = watch.note([Self.good, Self.good])
        #expect(!round3)
        #expect(watch.missing == "link:eth0, link:eth1 did not hold twice in succession")
        let round4 = watch.note([Self.good, Self.good])
        #expect(round4)
        watch.startAgain(after: "no room")
        let round5 = watch.note([Self.good, Self.good])
        #expect(!round5)
        #expect(watch.missing == "it could not be confirmed when link:eth0, link:eth1 held: no room")
    }

    @Test("A probe that did not hold before the change is named and not waited for; if none held, all are waited for")
    func before() throws {
        var watch = try Self.watch(true, false, true)
        #expect(watch.waitedFor.map(\.description) == ["link:eth0", "link:eth2"])
        #expect(watch.reports[1] == ProbeReport(probe: "link:eth1", state: .ignored, message: "ill"))
        let round6 = watch.note([Self.good, Self.good])
        #expect(!round6)
        let round7 = watch.note([Self.good, Self.good])
        #expect(round7)
        #expect(watch.reports.map(\.state) == [.holds, .ignored, .holds] && watch.names == "link:eth0, link:eth2")

        var none = try Self.watch(false, false)
        #expect(none.waitedFor.count == 2 && none.reports.map(\.state) == [.waiting, .waiting])
        #expect(none.reports.map(\.message) == ["ill", "ill"])
        let round8 = none.note([Self.good, Self.bad])
        #expect(!round8)
        let round9 = none.note([Self.good, Self.good])
        #expect(!round9)
        let round10 = none.note([Self.good, Self.good])
        #expect(round10)
    }

    @Test("They are read from the store as written; an unknown one of a later release never holds, and is named")
    func stored() throws {
        let watch = try Self.watch(true, false)
        #expect(try #require(ProbeWatch(watch.stored)) == watch)
        #expect(ProbeWatch([]) == nil)
        var strange = try #require(ProbeWatch([StoredProbe("dns:example.org"), StoredProbe("link:eth0")]))
        #expect(strange.waitedFor.map(\.description) == ["link:eth0"])
        for _ in 0..<3 {
            let round11 = strange.note([Self.good])
            #expect(!round11)
        }
        #expect(strange.missing == "dns:example.org did not hold (this release knows no such probe)")
        #expect(strange.reports.map(\.state) == [.fails, .holds])
    }
}
