import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of other objects in the places of the store's files and of its directory.
@Suite("The places of the store's files", .tags(.fault))
struct StorePlaceTests {
    /// The scripts that replace a file, and the refusal of each; `$F` is the file.
    private static let planted: [(words: String, script: String)] = [
        ("is a FIFO", "rm -f $F; mkfifo $F"), ("is a directory", "rm -f $F; mkdir $F"),
        ("is a symbolic link", "rm -f $F; echo theirs >$D/theirs; ln -s $D/theirs $F"),
        ("has 2 names (hard links)", "touch $F; ln -f $F $D/theirs"),
        ("belongs to the user 12345", "touch $F; chown 12345 $F"),
    ]

    @Test(
        "Each is checked before anything opens it; the refusal names the file and a remedy that works",
        arguments: [
            "settings.db", "settings.db-wal", "settings.db-shm", "settings.db-journal", "settings.copy.json",
            "settings.newest",
        ])
    func names(name: String) async throws {
        for (words, script) in Self.planted where Machine.isRoot || !script.contains("chown") {
            try await Board.with { board in
                let agent = try await board.start()
                try await agent.set(["system/hostname": "kept"])
                try await agent.stop()
                let file = board.state + "/" + name
                // A log is there after a kill only.
                let planted = try await board.script("F=\(file)\nset -e\n\(script)")
                #expect(planted.status == 0, "\(planted)")
                let before = try await board.script("cat $D/theirs 2>/dev/null | md5sum").output
                let refused = try await board.fail()
                #expect(refused.status == .exited(1), "\(name) \(words): \(refused)")
                let text = refused.outputText
                #expect(text.contains(file) && text.contains(words), "\(name) \(words): \(text)")
                #expect(try await board.script("cat $D/theirs 2>/dev/null | md5sum").output == before)

                let parts = text.split(separator: "'")
                let remedy = try #require(parts.count > 1 ? String(parts[1]) : nil, "\(text)")
                let mended = try await board.script(remedy)
                #expect(mended.status == 0, "\(remedy): \(mended)")
                let again = try await board.start()
                #expect(try await again.get("system/hostname") == "kept", "\(name) \(words)")
                #expect(try await board.cleat("set", "system/hostname=other").status == 0)
                #expect(
                    try await board.script("cat $D/theirs 2>/dev/null | md5sum").output == before, "\(name) \(words)")
                try await again.stop()
            }
        }
    }

    @Test("A directory that was moved away is a finding; moved back, it is none")
    func moved() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            #expect(try await agent.findings().isEmpty)
            _ = try await board.script("mv \(board.state) \(board.state).moved")
            #expect(try await board.cleat("doctor").status == 1)
            let findings = try await agent.findings()
            #expect(findings.map(\.kind) == [.store] && findings.map(\.subject) == [board.state], "\(findings)")
            _ = try await board.script("mkdir \(board.state)")
            #expect(try await board.cleat("doctor").status == 1)
            _ = try await board.script("rmdir \(board.state); mv \(board.state).moved \(board.state)")
            #expect(try await agent.findings().isEmpty)
            try await agent.stop()
        }
    }

    @Test(
        "A store at its usual place in memory is a finding, and so is a missing group of clients; on a disk it is none",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func inMemory() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                UnmanagedTests.preparation + "\nmount -t tmpfs none /run; mount -t tmpfs none /var/lib\n")
            let doctor = """
                unset CLEAT_SOCKET
                "$CLEATD" >>"$D/usual.log" 2>&1 &
                while ! test -S /run/cleat/socket; do kill -0 $!; sleep 0.05; done
                "$CLEAT" doctor || true
                kill $!
                wait $! || true

                """
            let found = try await space.script("mkdir /var/lib/cleat /run/cleat\n" + doctor).output
            #expect(found.contains("/var/lib/cleat: is in memory (tmpfs at /var/lib)"), "\(found)")
            let group = "/etc/group: has no group cleat, so only root may use the service"
            let isThere = try await space.script("grep -c '^cleat:' /etc/group || true").output != "0\n"
            #expect(found.contains(group) != isThere, "\(found)")
            let none = try await space.script(
                "mkdir $D/disk; mount --bind $D/disk /var/lib/cleat; echo cleat:x:990: >>/etc/group\n" + doctor
            ).output
            #expect(!none.contains(group), "\(none)")
            // The disk of the tests may itself be in memory.
            let disk = try await board.script("stat -f -c %T $D").output
            #expect(none.contains("is in memory") == (disk == "tmpfs\n"), "\(none) \(disk)")
        }
    }

    @Test("A symbolic link in place of the files' directory is not followed by anything, and is a finding")
    func link() async throws {
        try await Board.with { board in
            _ = try await board.script("mkdir -p \(board.state) $D/target; ln -s $D/target \(board.state)/files")
            let agent = try await board.start()
            try board.directory.write("text", to: "text")
            let put = try await board.script(#""$CLEAT" file put $D/text documents/text"#)
            #expect(put.status != 0, "\(put)")
            #expect(try await board.cleat("doctor").status == 1)
            let findings = try await agent.findings().filter { $0.subject.hasPrefix("files/") }
            #expect(!findings.isEmpty && findings.allSatisfy { $0.kind == .configuration }, "\(findings)")
            #expect(findings.allSatisfy { $0.message.contains("\(board.state)/files") }, "\(findings)")
            #expect(try await board.script("find $D/target").output == board.directory.text + "/target\n")
            try await agent.stop()
            _ = try await board.script("rm \(board.state)/files")
            let again = try await board.start()
            #expect(try await board.script(#""$CLEAT" file put $D/text documents/text"#).status == 0)
            #expect(try await again.findings().isEmpty)
            try await again.stop()
        }
    }

    @Test("No core file is written of the service, whatever limit it is started with")
    func core() async throws {
        try await Board.with { board in
            var options = RunningAgent.Options()
            options.preparation =
                "ulimit -c unlimited 2>/dev/null || ulimit -S -c $(ulimit -H -c); mkdir \(board.directory.text)/here; cd \(board.directory.text)/here"
            let agent = try await board.start(options)
            let limits = try await board.script("grep 'Max core file size' /proc/\(try agent.pid)/limits")
            #expect(limits.output.split(separator: " ").dropFirst(4).first == "0", "\(limits)")
            let ended = try await agent.stop(Signal(rawValue: 6))
            #expect(ended.status != .exited(0), "\(ended)")
            #expect(try await board.script("ls -A $D/here").output == "")
        }
    }
}
