import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

/// The verifier of power cuts finds what it is there to find: each case damages a store, or promises too much of it.
@Suite struct PowerVerifierTests {
    private struct Report {
        var found: Int64?
        var checked: [String]
        var lost: [String]
        var corrupt: [String]
    }

    private static let everything = ["copy", "opens", "acknowledged", "whole", "history", "integrity", "goes on"]

    /// Writes a store of 60 generations with a second copy of each.
    private func write(_ place: String, _ options: String...) async throws {
        let result = try await runWriter(
            ["power", place, "commits=60", "copy=0", "frames=16", "settings=4", "close=no"] + options)
        #expect(result.outputText.hasSuffix("60\ncopy 60\ndone\n"), "\(result.outputText)")
    }

    private func verify(
        _ place: String, _ acknowledged: Int64 = 60, _ options: String..., mode: String = "verify"
    ) async throws -> Report {
        let scratch = try TemporaryDirectory()
        let words = [mode, place, "settings=4", "acknowledged=\(acknowledged)", "scratch=\(scratch.text)"]
        let text = try await runWriter(words + options).outputText
        let report = try JSONReader.read(text)
        let problems = try #require(report["problems"]?.arrayValue)
        func texts(_ kind: String) -> [String] {
            problems.filter { $0["kind"]?.stringValue == kind }.compactMap { $0["text"]?.stringValue }
        }
        return Report(
            found: report["found"]?.integerValue,
            checked: try #require(report["checked"]?.arrayValue).compactMap(\.stringValue),
            lost: texts("lost"), corrupt: texts("corrupt"))
    }

    private func damage(_ place: String, _ statements: String...) throws {
        let database = try Database(path: FilePath(place).appending("settings.db").string)
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        for statement in statements { try database.execute(statement) }
        database.dropStatements()
        // Otherwise the store itself would detect that these settings were never written.
        try DirectoryListing.remove(FilePath(place).appending("settings.newest").string)
    }

    @Test func aWholeStoreHasNoProblems() async throws {
        let directory = try TemporaryDirectory()
        let place = directory.appending("store")
        try await write(place)
        let report = try await verify(place, 60, "copied=60", "last=60")
        #expect(report.found == 60)
        #expect(report.checked == Self.everything)
        #expect(report.lost.isEmpty)
        #expect(report.corrupt.isEmpty)
    }

    @Test func anEmptyDirectoryIsWholeWhereNothingWasAcknowledged() async throws {
        let directory = try TemporaryDirectory()
        let report = try await verify(directory.text, 0)
        #expect(report.found == 0)
        #expect(report.lost.isEmpty)
        #expect(report.corrupt.isEmpty)
        // There was no second copy to check.
        #expect(!report.checked.contains("copy"))
    }

    @Test func whatWasAcknowledgedAndIsNotThereIsLost() async throws {
        let directory = try TemporaryDirectory()
        let place = directory.appending("store")
        try await write(place)
        let report = try await verify(place, 61, "copied=61")
        #expect(report.lost.count == 2)
        #expect(report.corrupt.isEmpty)
        let empty = try await verify(try TemporaryDirectory().text, 1, "copied=1")
        #expect(empty.lost.count == 2)
    }

    @Test func anUnknownGenerationIsCorrupt() async throws {
        let directory = try TemporaryDirectory()
        let place = directory.appending("store")
        try await write(place)
        #expect(try await verify(place, 50, "last=58").corrupt.contains { $0.contains("never written") })
    }

    @Test(arguments: [
        ("DELETE FROM settings WHERE path = 'set/n2'", "holds nothing at set/n2"),
        ("UPDATE settings SET value = '59' WHERE path = 'set/n2'", "holds 59 at set/n2"),
        ("INSERT INTO settings VALUES('set/other', '1', 60)", "holds 55 settings"),
        ("DELETE FROM generations WHERE number = 30", "stands where 30 should"),
        ("DELETE FROM changes WHERE generation = 30 AND path = 'set/n1'", "generation 30 changed something else"),
        ("UPDATE changes SET old = '1' WHERE generation = 30 AND path = 'set/n1'", "changed something else"),
        ("UPDATE generations SET id = 'x' WHERE number = 30", "under the id x"),
        ("DELETE FROM generations WHERE number < 5", "history begins after 4"),
        ("UPDATE meta SET value = 'short' WHERE key = 'store_id'", "note: "),
    ])
    func whatContradictsItselfIsCorrupt(statement: String, text: String) async throws {
        let directory = try TemporaryDirectory()
        let place = directory.appending("store")
        try await write(place)
        try damage(place, statement)
        let report = try await verify(place, 1)
        #expect(report.corrupt.contains { $0.contains(text) }, "\(report)")
    }

    @Test func aDamagedSecondCopyIsFoundBeforeTheStoreIsOpened() async throws {
        let directory = try TemporaryDirectory()
        let place = directory.appending("store")
        try await write(place)
        let copy = FilePath(place).appending("settings.copy.json").string
        let content = try bytes(copy)
        try CleatStoreTests.write(Array(content.dropLast(10)), to: copy)
        let report = try await verify(place, 60, "copied=60")
        #expect(report.corrupt.contains { $0.contains("second copy") }, "\(report)")
        #expect(!report.checked.contains("copy"))
    }

    @Test func theControlSwitchesSynchronousOff() async throws {
        let directory = try TemporaryDirectory()
        let result = try await runWriter(
            ["power", directory.appending("store"), "commits=1", "synchronous=OFF", "close=no"])
        #expect(result.outputText == "open 0\nsynchronous 0\n1\ncopy 1\ndone\n")
    }

    @Test func aFileIsWholeOrFoundOut() async throws {
        let directory = try TemporaryDirectory()
        for syncs in ["on", "off"] {
            #expect(
                try await runWriter(["files", directory.text, "writes=5", "syncs=\(syncs)"]).outputText
                    .hasSuffix("\ndone\n"))
        }
        let file = directory.appending("state")
        let whole = try bytes(file)
        let good = try await verify(directory.text, 10, "last=10", mode: "verify-files")
        #expect(good.found == 10)
        #expect(good.checked == ["acknowledged", "whole", "goes on"])
        #expect(good.lost.isEmpty && good.corrupt.isEmpty)
        for content in [[], Array(whole.dropLast()), [UInt8](repeating: 0, count: whole.count), whole + [10]] {
            try CleatStoreTests.write(content, to: file)
            #expect(!(try await verify(directory.text, 10, mode: "verify-files").corrupt.isEmpty))
        }
        try CleatStoreTests.write(whole, to: file)
        #expect(try await verify(directory.text, 11, mode: "verify-files").lost.count == 1)
    }
}
