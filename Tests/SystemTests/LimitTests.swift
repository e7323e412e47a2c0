import CleatAPI
import CleatIO
import CleatJSON
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Conditions that the maker of a board did not think of: files without end, a disk that fails under load, little memory.
@Suite("Limits of files, disks and memory", .serialized, .tags(.fault))
struct LimitTests {
    // MARK: Sparse files

    /// Objects in the place of `/etc/hostname`, made by a script below the root directory.
    private static let obstacles = [
        ("a sparse file of 1 TiB", "truncate -s 1T etc/hostname"), ("a directory", "mkdir etc/hostname"),
        ("a FIFO", "mkfifo etc/hostname"),
        ("a file with two names", "echo x >etc/other; ln etc/other etc/hostname"),
    ]

    @Test("Doctor names the object in the place of a managed file, and its remedy works word by word")
    func obstacles() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "pump-7"])
            for (name, script) in Self.obstacles {
                let made = try await board.script("cd $D/root; rm -rf etc/hostname etc/other; \(script)")
                try #require(made.status == 0, "\(name): \(made)")
                let doctor = try await board.cleat("doctor")
                #expect(doctor.status == 1 && doctor.lines.count == 2, "\(name): \(doctor)")
                let remedy = try #require(doctor.lines.last?.firstMatch(of: #/\((mv .*)\), then run '(cleat .*)'$/#))
                // The paths are those below the root directory of the test.
                let move = remedy.1.replacing(" /etc/", with: " $D/root/etc/")
                let done = try await board.script(
                    "\(move) && \(remedy.2.replacing("cleat ", with: "\"$CLEAT\" ", maxReplacements: 1))")
                #expect(done.status == 0, "\(name): \(done)")
                #expect(try board.directory.read("root/etc/hostname") == "pump-7\n", "\(name)")
                let after = try await board.cleat("doctor")
                #expect(after.status == 0, "\(name): \(after)")
                _ = try await board.script("rm -rf $D/root/etc/hostname.old")
            }
        }
    }

    @Test("Sparse files in the place of sources are refused by their size, and the former values stay in force")
    func sparseSources() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let agent = try await board.start()
            try await agent.set(["system/hostname": "pump-7"])
            let names = ["hooks.d/10-a.json5", "schema.d/10-a.json", "defaults.d/10-a.json5", "locks.d/10-a.json5"]
            let made = try await board.script("cd $D/etc; for name; do truncate -s 1T $name || exit; done", names)
            try #require(made.status == 0, "\(made)")
            try await agent.reload()
            #expect(try await board.cleat("doctor").status == 1)
            let findings = try await agent.findings()
            for name in names {
                #expect(
                    findings.contains { finding in
                        [.refusedFile, .hook].contains(finding.kind) && finding.subject == "\(board.config)/\(name)"
                    },
                    "\(name): \(findings)")
            }
            #expect(try await agent.get("system/hostname") == "pump-7")
        }
    }

    @Test("A file without a waiting client is not read on; one that the disk cannot hold is not fetched")
    func sparseDownloads() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let place = FilePath(board.state + "/files/documents/large")
            let made = try await board.script("truncate -s 1T \(place)")
            try #require(made.status == 0, "\(made)")
            @Sendable func isOpen() async throws -> Bool {
                let found = try await board.script("ls -l /proc/\(try agent.pid)/fd")
                return found.output.contains(place.string)
            }
            let waiting = board.loop.task {
                try await board.script(#"timeout 2 "$CLEAT" file get documents/large "$D/large""#)
            }
            try await board.eventually("the file is read") { try await isOpen() }
            let stopped = try await waiting.value
            #expect(stopped.status == 124, "\(stopped)")
            try await board.eventually("it is read no longer") { try await !isOpen() }

            _ = try await board.script("truncate -s 0 \(place); truncate -s 20M \(place)")
            let space = try await board.makeNamespace("mkdir $D/small && mount -t tmpfs -o size=4m none $D/small")
            let fetched = try await space.script(
                #"""
                cd "$D/small"; export CLEAT_SOCKET="\#(board.socket)"
                "$CLEAT" file get documents/large large || echo $?
                ls -A
                """#)
            #expect(fetched.output == "1\n", "\(fetched)")
            #expect(["large", "20.0 MiB", "4.0 MiB"].allSatisfy(fetched.errorText.contains), "\(fetched)")
        }
    }

    // MARK: Extended attributes

    static let attributesReason: Comment = "the file system of the tests has no extended attributes of users"
    static let hasAttributes: Bool = {
        guard let directory = try? TemporaryDirectory(), (try? directory.write("", to: "a")) != nil else {
            return false
        }
        return (try? setAttribute([1], of: directory.appending("a"))) != nil
    }()

    private static let attribute: FileName = FileName("user.cleat")

    private static func setAttribute(_ value: [UInt8], of path: String) throws {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        _ = try file.closeAfter {
            try SystemFileCalls().setAttribute(ExtendedAttribute(name: attribute, value: value), of: file)
        }
    }

    private static func value(of path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        return try file.closeAfter { try SystemFileCalls().attribute(attribute, of: file) }
    }

    @Test(
        "Extended attributes of a managed file outlast changes, trials, their end, snapshots and the release",
        .enabled(if: hasAttributes, attributesReason))
    func attributes() async throws {
        try await Board.with { board in
            try board.directory.makeDirectory("root/etc")
            let path = try board.directory.write("factory\n", to: "root/etc/hostname")
            try Self.setAttribute([7, 9], of: path)
            func expectKept(_ step: Comment) throws { #expect(try Self.value(of: path) == [7, 9], step) }
            let agent = try await board.start()
            for words in [
                ["set", "system/hostname=one"], ["snapshot", "create", "one"],
                ["set", "system/hostname=two", "--confirm", "5m", "--id", "t"], ["abort", "t"],
                ["set", "system/hostname=three"], ["snapshot", "restore", "one"], ["rollback", "1"],
            ] {
                let done = try await board.script(#""$CLEAT" "$@""#, words)
                #expect(done.status == 0, "\(done)")
                try expectKept("\(words)")
            }
            // Replaced outside, without them: they are those that it had when Cleat first took it.
            _ = try await board.script("rm $D/root/etc/hostname; echo other >$D/root/etc/hostname")
            let released = try await board.script(
                #""$CLEAT" reapply /etc/hostname && "$CLEAT" unset system/hostname"#)
            #expect(released.status == 0, "\(released)")
            #expect(try board.directory.read("root/etc/hostname") == "factory\n")
            try expectKept("released")
            #expect(try await agent.status().trial == nil)
        }
    }

    // MARK: A disk that fails

    static let diskReason: Comment = "needs root, namespaces, loop devices and mkfs.ext4, for a disk of its own"
    static let hasDisk = Machine.can(
        """
        test $(id -u) -eq 0 && command -v mkfs.ext4 && command -v e2fsck && d=$(mktemp -d) &&
        unshare --mount sh -ec "truncate -s 8M $d/image; mkfs.ext4 -q $d/image; mkdir $d/disk;
            mount -o loop $d/image $d/disk" && rm -r $d
        """, diskReason)

    @Test(
        "A disk that turns read-only under load: changes are refused, answers continue, and no acknowledged change is lost",
        .enabled(if: hasDisk, diskReason))
    func failingDisk() async throws {
        // The disk fails at another place of a change each time.
        for _ in 0..<TestMachine.rounds(12, briefly: 3) { try await Self.failDisk() }
    }

    private static func failDisk() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                """
                truncate -s 32M $D/image && mkfs.ext4 -q $D/image && mkdir -p $D/state && chmod 700 $D/state
                mount -o loop $D/image $D/state
                """)
            let agent = try await board.start(space.options)
            try await agent.set(["system/hostname": "h0"])
            let writer = board.loop.task {
                try await space.script(
                    #"""
                    export CLEAT_SOCKET="\#(board.socket)"; n=0
                    while "$CLEAT" set "system/hostname=h$((n + 1))" >/dev/null; do n=$((n + 1)); echo $n >$D/acknowledged; done
                    echo $n
                    """#)
            }
            try await board.eventually("some changes were made") {
                SystemCalls.exists(board.directory.appending("acknowledged"))
            }
            // ext4(5), `abort`: as after an error of the disk, whatever is open.
            let failed = try await space.script("mount -o remount,abort $D/state; touch $D/state/x || echo failed")
            #expect(failed.output == "failed\n", "\(failed)")
            let stopped = try await writer.value
            let last = try #require(stopped.lines.last.flatMap { Int($0) }, "\(stopped)")
            #expect(stopped.errorText.contains("cleat: "), "\(stopped)")

            // What the service says is what the system is.
            let held = try #require(try await agent.get("system/hostname")?.stringValue)
            #expect(["h\(last)", "h\(last + 1)"].contains(held), "\(held) after \(last)")
            #expect(try board.directory.read("root/etc/hostname") == held + "\n", "\(last) \(stopped)")
            let refused = try await board.cleat("set", "system/hostname=later")
            #expect(refused.status != 0 && refused.output.isEmpty, "\(refused)")
            #expect(try board.directory.read("root/etc/hostname") == held + "\n")
            let doctor = try await board.cleat("doctor")
            #expect(doctor.status == 1 && doctor.output.contains("settings.db"), "\(doctor)")

            // Checked and mounted again, the disk has what was acknowledged.
            await agent.kill()
            let mended = try await space.script(
                """
                umount $D/state
                e2fsck -fy $D/image >/dev/null 2>&1 || test $? -eq 1
                mount -o loop $D/image $D/state
                """)
            #expect(mended.status == 0, "\(mended)")
            let again = try await board.start(space.options)
            let kept = try #require(try await again.get("system/hostname")?.stringValue)
            #expect(["h\(last)", "h\(last + 1)"].contains(kept), "\(kept) after \(last)")
            #expect(try board.directory.read("root/etc/hostname") == kept + "\n")
            try await again.set(["system/hostname": "after"])
            // A request that the store refuses is no failure of the storage.
            let reused = try await board.script(
                #""$CLEAT" set system/hostname=one --id r && "$CLEAT" set system/hostname=two --id r"#)
            #expect(reused.status != 0, "\(reused)")
            #expect(try await board.cleat("doctor").status == 0)
        }
    }

    // MARK: Little memory

    static let memoryReason: Comment = "needs root and a hierarchy of control groups for memory that can be written to"
    static let hasMemoryGroups = Machine.can(
        """
        for base in /sys/fs/cgroup/memory /sys/fs/cgroup; do
            g=$base/cleat-$$
            mkdir $g 2>/dev/null || continue
            test -w $g/memory.limit_in_bytes || test -w $g/memory.max; found=$?
            rmdir $g && test $found -eq 0 && exit 0
        done
        exit 1
        """, memoryReason)

    /// Less than a service that keeps what it is sent would take.
    private static let memory = 24 << 20

    @Test(
        "In a control group of 24 MiB it serves large files, many clients and much history without being killed",
        .enabled(if: hasMemoryGroups, memoryReason))
    func littleMemory() async throws {
        try await Board.with { board in
            var options = RunningAgent.Options()
            options.preparation = """
                for base in /sys/fs/cgroup/memory /sys/fs/cgroup; do
                    g=$base/cleat-$$
                    mkdir $g 2>/dev/null || continue
                    echo \(Self.memory) >$g/memory.limit_in_bytes 2>/dev/null ||
                        echo \(Self.memory) >$g/memory.max 2>/dev/null || { rmdir $g; continue; }
                    echo $$ >$g/cgroup.procs && echo $g >\(board.directory.appending("group")) && break
                done
                """
            let agent = try await board.start(options)
            let pid = try agent.pid
            // One script a step: each has the time that a busy machine needs.
            @Sendable func run(_ script: String, _ arguments: String...) async throws {
                let done = try await board.script("cd $D && " + script, arguments)
                #expect(done.status == 0, "\(script): \(done)")
            }
            try await run("head -c 40000000 /dev/urandom >large")
            let uploads = board.loop.task {
                for number in 1...3 {
                    try await run(#""$CLEAT" file put large documents/large$1 >/dev/null"#, "\(number)")
                }
            }
            let followers = board.loop.task {
                try await run(#"for n in $(seq 12); do timeout 10 "$CLEAT" events >/dev/null & done; wait"#)
            }
            for round in 1...6 {
                try await run(
                    #"""
                    for n in $(seq 10); do
                        "$CLEAT" set "time/ntp/servers=[\"a$n.example\",\"b$1.example\"]" "system/hostname=h$1-$n" >/dev/null ||
                            exit 8
                    done
                    "$CLEAT" snapshot create "s$1" >/dev/null && "$CLEAT" list >/dev/null &&
                        "$CLEAT" export --output json >/dev/null
                    """#, "\(round)")
            }
            try await uploads.value
            try await followers.value
            try await run(#""$CLEAT" file get documents/large1 back >/dev/null && cmp large back"#)
            #expect(try agent.pid == pid)
            #expect(try await agent.get("system/hostname") == "h6-10")
            await agent.kill()
            _ = try await board.script("rmdir $(cat $D/group)")
        }
    }
}
