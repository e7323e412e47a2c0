import Testing

@testable import CleatSandbox

@Suite("The table of uploads")
struct UploadTableTests {
    private let table = UploadTable()

    private func key(_ id: String, owner: UInt32 = 4_000_000_000) -> UploadKey { UploadKey(owner: owner, id: id) }

    @Test("excludes a second step of an upload, and knows no upload that has not started")
    func exclusion() throws {
        #expect(try table.reserve(key("a")) == nil)
        #expect(throws: UploadError.self) { try table.reserve(key("a")) }
        let error = #expect(throws: UploadError.self) { try table.using(key("a")) { _ throws(UploadError) in } }
        #expect(error?.code == .busy)
        table.finish(key("a"), nil)
        let unknown = #expect(throws: UploadError.self) { try table.using(key("a")) { _ throws(UploadError) in } }
        #expect(unknown?.code == .unknown)
        #expect(table.uploads.isEmpty)
    }

    @Test("keeps entries for root when other users have started their maximum")
    func limit() throws {
        let most = UploadStore.uploadsLimit - UploadStore.reservedUploads
        for number in 0..<most { #expect(try table.reserve(key("\(number)")) == nil) }
        let error = #expect(throws: UploadError.self) { try table.reserve(key("more")) }
        #expect(error?.code == .tooMany)
        #expect(try table.reserve(key("more", owner: 0)) == nil)
    }

    @Test("remembers a commit until the same key starts again")
    func commits() throws {
        table.recordCommit(key("a"))
        #expect(table.wasCommitted(key("a")) && !table.wasCommitted(key("b")))
        #expect(try table.reserve(key("a")) == nil)
        #expect(!table.wasCommitted(key("a")))
    }
}
