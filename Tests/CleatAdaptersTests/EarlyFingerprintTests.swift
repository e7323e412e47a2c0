import CleatAdapters
import CleatTestSupport
import SystemPackage
import Testing

@Suite(.tags(.board)) struct EarlyFingerprintTests {
    @Test func aFingerprintThatWasReadEarlyIsUsedOnceAndNoneAfterwards() throws {
        let root = try TemporaryDirectory()
        try root.write("early\n", to: "a.conf")
        try root.write("early\n", to: "b.conf")
        let early = EarlyFingerprints()
        let (a, b, gone) = (Resource.file("/a.conf"), Resource.file("/b.conf"), Resource.file("/c.conf"))
        let system = try SystemResources(root: root.path).keeping([a, b, gone])
        early.read([a, b, gone], on: system)
        let first = try #require(try system.fingerprint(of: a))
        for name in ["a.conf", "b.conf", "c.conf"] { try root.write("later\n", to: name) }
        let later = try system.fingerprint(of: a)
        #expect(later != first)

        let expecting = system.expecting(early)
        #expect(try expecting.fingerprint(of: a) == first)
        #expect(try expecting.fingerprint(of: a) == later)
        #expect(try expecting.fingerprint(of: gone) == SystemResources.absentFingerprint)
        early.forget()
        #expect(try expecting.fingerprint(of: b) == later)
        #expect(try expecting.fingerprint(of: gone) == later)
    }
}
