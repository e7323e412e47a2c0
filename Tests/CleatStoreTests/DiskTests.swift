import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// Runs the writer on small memory file systems, in a mount namespace of its own.
@Suite(.tags(.board), .enabled(if: Namespace.isAvailable, "\(Namespace.reason)")) struct DiskTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func run(_ script: String) async throws -> [String] {
        let environment = ["D": directory.text, "W": writer.string]
        let result = try await withLoop { loop in
            try await Namespace.run(script, environment: environment, on: loop)
        }
        #expect(result.isSuccess, "\(result.outputText)")
        return result.outputText.utf8.split(separator: UInt8(ascii: "\n")).compactMap { String(Substring($0)) }
    }

    static let fill = "dd if=/dev/zero of=$D/filler bs=4k >/dev/null 2>&1 || true\n"

    @Test(arguments: [3, 1300])
    func aStoreThatWasClosedCleanlyOpensAndWritesOnAFullDisk(commits: Int) async throws {
        let lines = try await run(
            """
            mount -t tmpfs -o size=12m none $D
            $W commit $D/s \(commits) >/dev/null
            \(Self.fill)
            $W commit $D/s 100
            $W open $D/s
            """)
        // Only the second copy needs space; the commits themselves use that of the log.
        #expect(lines.contains("\(commits + 100)"), "\(lines)")
        #expect(lines.contains("open \(commits + 100)"), "\(lines)")
        #expect(lines.filter { $0.hasPrefix("error") }.allSatisfy { $0.hasPrefix("error copy_failed") }, "\(lines)")
    }

    @Test func aFullDiskIsAClearErrorAndNothingIsLost() async throws {
        let lines = try await run(
            """
            mount -t tmpfs -o size=12m none $D
            $W commit $D/s 20 >/dev/null
            \(Self.fill)
            $W large $D/s
            $W large $D/s
            $W open $D/new
            ls -A $D/new
            rm $D/filler
            $W large $D/s
            $W open $D/new
            """)
        #expect(lines.filter { $0.hasPrefix("open 20") }.count == 3, "\(lines)")
        #expect(lines.filter { $0.hasPrefix("error disk_full") }.count == 3, "\(lines)")
        #expect(!lines.contains { $0.hasPrefix("note") || $0.contains(".cleat-new") }, "\(lines)")
        #expect(lines.suffix(2) == ["open 0", "done"], "\(lines)")
    }

    @Test func aLongLifeOnAFullDiskShortensHistoryInsteadOfFailing() async throws {
        let lines = try await run(
            """
            mount -t tmpfs -o size=12m none $D
            $W commit $D/s 300 >/dev/null
            \(Self.fill)
            $W commit $D/s 3000
            """)
        #expect(lines.contains("3300"), "\(lines.suffix(3))")
    }

    @Test func aLongLifeOfTrialsOnAFullDiskShortensHistoryToo() async throws {
        let lines = try await run(
            """
            mount -t tmpfs -o size=12m none $D
            $W trial $D/s 100 >/dev/null
            \(Self.fill)
            $W trial $D/s 1000
            """)
        #expect(lines.contains("confirmed 1648"), "\(lines.suffix(3))")
        #expect(lines.contains("undone 1650"), "\(lines.suffix(3))")
    }

    @Test func whatAFullDiskCannotHoldDoesNotBlockTheRest() async throws {
        let lines = try await run(
            """
            mount -t tmpfs -o size=12m none $D
            $W trial $D/s 20 >/dev/null
            \(Self.fill)
            $W large-trial $D/s
            $W open $D/s
            rm $D/filler
            $W large-trial $D/s
            """)
        #expect(lines.filter { $0.hasPrefix("refused disk_full") }.count == 1, "\(lines)")
        #expect(lines.contains("open 330") && lines.contains("undone 330"), "\(lines.suffix(900))")
        #expect(lines.filter { $0 == "armed" }.count == 1)
        #expect(lines.suffix(2) == ["undone 632", "done"], "\(lines.suffix(5))")
    }

    @Test func aReadOnlyFileSystemIsAClearErrorAndNothingIsTouched() async throws {
        let lines = try await run(
            """
            mount -t tmpfs -o size=12m none $D
            $W commit $D/s 5 >/dev/null
            : > $D/empty
            mkdir $D/e; : > $D/e/settings.db
            before=$(find $D -type f -exec md5sum {} + | sort)
            mount -o remount,ro $D
            $W open $D/s
            $W open $D/e
            $W open $D/none
            mount -o remount,rw $D
            test "$before" = "$(find $D -type f -exec md5sum {} + | sort)" && echo untouched
            $W open $D/s
            """)
        #expect(lines.filter { $0.hasPrefix("error read_only") }.count == 3, "\(lines)")
        #expect(lines.suffix(3) == ["untouched", "open 5", "done"], "\(lines)")
    }
}
