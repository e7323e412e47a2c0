import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of systems that accept no change, or that another program has changed, with the real programs.
@Suite("Obstacles, end to end", .tags(.board), .serialized)
struct ObstructedTests {
    /// A file in the place that is to be managed, and one of the board's files.
    private static let schema = """
        {"type": "object", "properties": {"app": {"type": "object", "properties": {
          "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}, "mode": {"type": "string"}}}},
         "x-cleat-apply": [
           {"file": "/etc/a/conf", "escape": "line", "template": "{{app/a}}\\n"},
           {"file": "/etc/sub/deep/b", "escape": "line", "template": "{{app/b}}\\n"},
           {"file": "/etc/mode", "escape": "line", "mode": "0600", "template": "{{app/mode}}\\n"},
           {"command": ["/nowhere/program"], "when": ["app/c"]}]}
        """

    @Test(
        "An impossible change is refused by the name of its setting, in check, plan and set alike",
        .enabled(if: TestMachine.slowness == 1, "many programs are run, and nothing differs on a board"))
    func refused() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(admin: "schema.d/10-app.json", Self.schema)
            let agent = try await board.start()
            let made = try await board.script(
                #"cd "$D/root" && mkdir -p etc && mkdir etc/a && mkfifo fifo && echo x >other && cp -a /dev/null etc/null 2>/dev/null; :"#
            )
            try #require(made.status == 0, "\(made)")
            let places = [
                ("a directory", "mkdir etc/a/conf"), ("a FIFO", "mkfifo etc/a/conf"),
                ("a file with a second name", "echo x >etc/a/conf && ln etc/a/conf other2"),
                ("a link that leads back to itself", "ln -s conf etc/a/conf"),
            ]
            for (name, script) in places {
                let prepared = try await board.script(#"cd "$D/root" && rm -rf etc/a/conf other2 && "# + script)
                try #require(prepared.status == 0, "\(name): \(prepared)")
                for words in [
                    ["set"], ["set", "--check"], ["plan"], ["set", "--confirm", "1m"], ["set", "--volatile"],
                ] {
                    let refused = try await board.script(#"exec "$CLEAT" "$@""#, words + ["app/a=x"])
                    #expect(refused.status == 65, "\(name) \(words): \(refused)")
                    #expect(refused.errorText.contains("app/a: "), "\(name) \(words): \(refused)")
                    #expect(refused.errorText.contains("/etc/a/conf"), "\(name) \(words): \(refused)")
                }
            }
            for words in [["set"], ["set", "--check"], ["plan"], ["set", "--confirm", "1m"]] {
                let missing = try await board.script(#"exec "$CLEAT" "$@""#, words + ["app/b=x"])
                #expect(missing.status == 65 && missing.errorText.contains("makeDirectories"), "\(missing)")
            }
            #expect(try await agent.status().generation == 0)
        }
    }

    @Test(
        "A target on a read-only file system, or a missing program, is refused before anything happens",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func readOnly() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(admin: "schema.d/10-app.json", Self.schema)
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            #expect(try await board.cleat("set", "system/hostname=first").status == 0)
            let before = try await space.script(UnmanagedTests.dump).output
            try await space.script("mount -o remount,bind,ro /etc")
            for words in [["set"], ["set", "--check"], ["plan"], ["set", "--confirm", "1m"]] {
                let refused = try await board.refusal(words + ["system/hostname=second"])
                #expect(refused.status == 65, "\(words): \(refused)")
                #expect(Set(refused.problems) == [["system/hostname", "system"]], "\(words): \(refused)")
            }
            // A missing program is also reported before anything is changed.
            for words in [["set"], ["set", "--check"]] {
                let missing = try await board.script(#"exec "$CLEAT" "$@""#, words + ["app/c=x"])
                #expect(missing.status == 65 && missing.errorText.contains("/nowhere/program"), "\(missing)")
            }
            #expect(try await agent.status().trial == nil)
            #expect(try await agent.status().generation == 1)
            try await space.script("mount -o remount,bind,rw /etc")
            #expect(try await space.script(UnmanagedTests.dump).output == before)

            // What cannot be brought back for it stays on trial until it can.
            let trial = try await board.cleat("set", "system/hostname=third", "--confirm", "10m", "--id", "t1")
            #expect(trial.status == 0, "\(trial)")
            try await space.script("mount -o remount,bind,ro /etc")
            let failed = try await board.cleat("abort", "t1")
            #expect(failed.status == 11, "\(failed)")
            try await space.script("mount -o remount,bind,rw /etc")
            #expect(try await board.cleat("abort", "t1").status == 0)
            #expect(try await space.script(UnmanagedTests.dump).output == before)
        }
    }

    @Test(
        "An outside change of a kernel value is reported by the plan and the answer of a change that overwrites it",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func overwritten() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                UnmanagedTests.preparation
                    + "\nmount -o remount,bind,rw /proc/sys\nip link add e0 type veth peer name e1")
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            try await agent.set([
                "system/hostname": "mine", "kernel/sysctl/net.ipv4.ip_default_ttl": 60,
                "network/interfaces/e0/mtu": 1400,
            ])
            try await space.script(
                "hostname theirs; echo 61 >/proc/sys/net/ipv4/ip_default_ttl; ip link set e0 mtu 1300")
            for (change, told) in [
                ("system/hostname=other", "the kernel's host name was edited outside Cleat"),
                (
                    "kernel/sysctl/net.ipv4.ip_default_ttl=62",
                    "/proc/sys/net/ipv4/ip_default_ttl was edited outside Cleat"
                ),
                ("network/interfaces/e0/mtu=1450", "the interface e0 has the MTU 1300"),
            ] {
                for word in ["plan", "set"] {
                    let done = try await board.cleat(word, change)
                    #expect(done.status == 0, "\(done)")
                    #expect(done.output.contains("overwrites what another program has set: \(told)"), "\(done)")
                }
            }
            #expect(try await space.script("hostname; cat /sys/class/net/e0/mtu").output == "other\n1450\n")
            // A file as it was written is not reported, and an outside edit that a change would make is not
            // overwritten.
            try await space.script("hostname again")
            for change in ["network/interfaces/e0/mtu=1460", "system/hostname=again"] {
                let done = try await board.cleat("set", change)
                #expect(done.status == 0 && !done.output.contains("overwrites"), "\(done)")
            }

            // A probe that can never succeed here proves nothing.
            for probe in ["link:e9", "address:e9"] {
                let refused = try await board.cleat("set", "system/hostname=x", "--until", probe, "--until", "link:lo")
                #expect(refused.status == 65 && refused.errorText.contains(probe), "\(refused)")
            }
            #expect(try await agent.status().trial == nil)
            // By default the kernel gives its ICMP sockets to no user; a service with CAP_NET_RAW has its own.
            try await space.script("echo 1 0 >/proc/sys/net/ipv4/ping_group_range; ip link set lo up")
            let ping = try await board.cleat("set", "system/hostname=x", "--until", "ping:127.0.0.1", "--wait")
            #expect(ping.status == 0 && ping.output.contains("ping:127.0.0.1"), "\(ping)")
            #expect(try await agent.status().trial == nil)
            #expect(try await agent.get("system/hostname") == "x")
        }
    }

    @Test("Outside changes of mode and owner are overwritten by 'reapply', and are reported until then")
    func ownership() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(admin: "schema.d/10-app.json", Self.schema)
            try SystemCalls.makeDirectory(board.root + "/etc")
            try board.directory.write("factory\n", to: "root/etc/hostname", mode: 0o640)
            let agent = try await board.start()
            try await agent.set(["system/hostname": "mine", "kernel/sysctl/vm.swappiness": 10, "app/mode": "x"])
            let look = #"cd "$D/root/etc" && stat -c '%n %a %u:%g' hostname mode sysctl.d/60-cleat.conf"#
            let before = try await board.script(look)
            #expect(before.lines.map { $0.split(separator: " ")[1] } == ["640", "600", "644"], "\(before)")
            let changed = try await board.script(
                #"cd "$D/root/etc" && chmod 666 hostname mode sysctl.d/60-cleat.conf && if [ "$(id -u)" = 0 ]; then chown 1:1 hostname mode sysctl.d/60-cleat.conf; fi"#
            )
            try #require(changed.status == 0)
            #expect(try await agent.call(SystemInterface.Drift.self, .init()).drift.count == 3)
            let again = try await board.cleat("reapply", "--all")
            #expect(again.status == 0, "\(again)")
            #expect(try await board.script(look).output == before.output)
            #expect(try await agent.call(SystemInterface.Drift.self, .init()).drift.isEmpty)

            // A trial restores the outside edits when it reverts.
            let theirs = try await board.script(#"chmod 666 "$D/root/etc/mode""#)
            #expect(theirs.status == 0)
            let trial = try await board.cleat("reapply", "--all", "--confirm", "10m", "--id", "t1")
            #expect(trial.status == 0, "\(trial)")
            #expect(try await board.script(look).output == before.output)
            #expect(try await board.cleat("abort", "t1").status == 0)
            let kept = try await board.script(#"stat -c %a "$D/root/etc/mode""#)
            #expect(kept.output == "666\n")
        }
    }

    @Test("While a change is on trial, 'why' names the author of the value in force, and a watch gets its end once")
    func pending() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            #expect(
                try await board.cleat("set", "system/hostname=tried", "--confirm", "10m", "--id", "t1").status == 0)
            let why = try await agent.call(SettingsInterface.Why.self, .init(path: "system/hostname"))
            #expect(why.setting.pending == "t1")
            #expect(why.layers.first { $0.layer == .committed }?.generation == 2, "\(why)")
            let shown = try await board.cleat("why", "system/hostname", "--output", "json")
            #expect(try JSONReader.read(shown.output)["setting"]?["pending"] == "t1", "\(shown)")
            #expect(try await board.cleat("abort", "t1").status == 0)
            let after = try await agent.call(SettingsInterface.Why.self, .init(path: "system/hostname"))
            #expect(after.setting.pending == nil)
        }
    }

    @Test("The kernel's host name has one setting: its sysctl parameter is refused")
    func hostNames() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let both = ["system/hostname=a", "kernel/sysctl/kernel.hostname=b"]
            for words in [["set"], ["set", "--check"], ["plan"]] {
                let refused = try await board.script(#"exec "$CLEAT" "$@""#, words + both)
                #expect(refused.status == 65, "\(words): \(refused)")
                #expect(refused.errorText.contains("kernel/sysctl/kernel.hostname"), "\(words): \(refused)")
            }
            for words in both {
                let first = try await board.cleat("set", words)
                #expect(first.status == 0, "\(first)")
                let other = both.first { $0 != words } ?? ""
                let second = try await board.cleat("set", other)
                #expect(second.status == 65 && second.errorText.contains("system/hostname"), "\(second)")
                let name = String(words.prefix { $0 != "=" })
                #expect(try await board.cleat("unset", name).status == 0)
            }
        }
    }
}
