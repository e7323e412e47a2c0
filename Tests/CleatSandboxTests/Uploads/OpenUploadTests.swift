import CleatHash
import CleatSandbox
import CleatTestSupport
import Testing

/// Uploads whose size and digest come with the commit.
struct OpenUploadTests {
    private let content = [UInt8]((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    private func open(_ bench: UploadBench, _ path: String = "a") throws -> Int64 {
        try bench.store.begin(UploadRequest(key: "open", path: SandboxPath(path), size: nil, sha256: nil))
    }

    private func commit(_ bench: UploadBench, size: Int, sha256: String) throws {
        while try bench.store.commit("open", size: Int64(size), sha256: sha256) != .complete {}
    }

    @Test func aStreamContinuesAfterARestartAndIsCommittedWithItsSize() throws {
        var bench = try UploadBench()
        #expect(try open(bench) == 0)
        try bench.send("open", Array(content.prefix(300_000)), from: 0)
        #expect(bench.store.uploads.first?.size == 300_000)
        bench = try bench.restarted()
        #expect(try open(bench) == 300_000)
        try bench.send("open", content, from: 300_000)
        try bench.expectExactAccount()
        var error = try uploadError { _ = try bench.store.commit("open") }
        #expect(error?.code == .badSize)
        let sha256 = SHA256.hexadecimal(of: content)
        error = try uploadError { try commit(bench, size: 700_001, sha256: sha256) }
        #expect(error?.code == .incomplete)
        bench = try bench.restarted()
        #expect(try open(bench) == 700_000)
        try commit(bench, size: 700_000, sha256: sha256)
        #expect(try bench.area.files.read(SandboxPath("a"), limit: 1 << 20) == content)
        #expect(try bench.partials() == [])
        try bench.expectExactAccount()
        // A repeated commit, also after a restart.
        try commit(bench, size: 700_000, sha256: sha256)
        #expect(bench.log.find("open")?.size == 700_000)
    }

    @Test func aWrongDigestDiscardsIt() throws {
        let bench = try UploadBench()
        _ = try open(bench)
        try bench.send("open", content, from: 0)
        let error = try uploadError { try commit(bench, size: content.count, sha256: SHA256.hexadecimal(of: [1])) }
        #expect(error?.code == .hashMismatch)
        #expect(try bench.area.names("") == [])
    }

    @Test func eachPartIsWithinTheQuota() throws {
        let bench = try UploadBench(quota: Quota(bytes: 310_000))
        _ = try open(bench)
        try bench.send("open", Array(content.prefix(300_000)), from: 0)
        // A commit with a size that is not reached changes nothing.
        let early = try uploadError {
            _ = try bench.store.commit("open", size: 1 << 62, sha256: SHA256.hexadecimal(of: content))
        }
        #expect(early?.code == .incomplete)
        #expect(try open(bench) == 300_000)
        let error = try uploadError { _ = try bench.store.write("open", at: 300_000, Array(content.prefix(100_000))) }
        #expect(error?.cause?.code == .quotaBytes)
        try bench.expectExactAccount()
        #expect(bench.area.root.account.reserved == AreaUsage())
        try bench.store.abort("open")
        #expect(try bench.area.names("") == [])
    }

    @Test func aSizeWithoutADigestIsRefused() throws {
        for (size, sha256, code) in [(1, nil, .badHash), (nil, "00", .badSize)] as [(Int64?, String?, UploadError.Code)]
        {
            let error = try uploadError {
                _ = try UploadRequest(key: "x", path: SandboxPath("a"), size: size, sha256: sha256)
            }
            #expect(error?.code == code)
        }
    }
}
