import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// Changes that the system does not take, with the real programs: in namespaces, on a private `/etc` in memory.
@Suite(
    "Adapters that fail in a transaction, end to end", .serialized,
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct AdapterFailureTests {
    /// A small `/etc` in the place of that of others, and the network's values to write.
    private static let preparation =
        UnmanagedTests.preparation + """

            mkdir $D/small
            mount -t tmpfs -o size=2m,mode=755 none $D/small
            cp -a $D/own-etc/. $D/small/
            rm -f $D/small/localtime
            mkdir $D/small/localtime
            mount --bind $D/small /etc
            mount --bind /proc/sys/net /proc/sys/net
            mount -o remount,bind,rw /proc/sys/net
            """

    /// All that the changes here touch, but for what has the system fail.
    private static let look = """
        hostname
        cat /proc/sys/net/ipv4/ip_default_ttl /proc/sys/net/ipv4/ip_local_port_range
        find /etc ! -name filler -exec stat -c '%N %a %u %g' '{}' + | sort
        find /etc -type f ! -name filler -exec md5sum '{}' + | sort
        """

    /// A failure, its cause, and the reported message.
    private struct Fault {
        let name: String
        var begin = "true"
        var end = "true"
        let values: [(path: String, value: JSONValue)]
        let status: Int32
        let words: [String]
    }

    private static let hostname: (path: String, value: JSONValue) = ("system/hostname", "after")
    private static let ttl: (path: String, value: JSONValue) = ("kernel/sysctl/net.ipv4.ip_default_ttl", 99)

    private static let faults = [
        Fault(
            name: "a file system that can only be read", begin: "mount -o remount,bind,ro /etc",
            end: "mount -o remount,bind,rw /etc", values: [hostname, ttl], status: 65,
            words: ["system/hostname: needs to write /etc/hostname", "mount it writable"]),
        Fault(
            name: "values of the kernel's that can only be read", begin: "mount -o remount,bind,ro /proc/sys/net",
            end: "mount -o remount,bind,rw /proc/sys/net", values: [hostname, ttl], status: 65,
            words: [ttl.path, "/proc/sys/net/ipv4/ip_default_ttl", "mount it writable"]),
        Fault(
            name: "a full file system", begin: "dd if=/dev/zero of=/etc/filler bs=4k 2>/dev/null || true",
            end: "rm /etc/filler", values: [hostname, ttl], status: 10,
            words: ["/etc/hostname", "free space on its file system", "Nothing was changed"]),
        Fault(
            name: "a value that the kernel does not take",
            values: [hostname, ttl, ("kernel/sysctl/net.ipv4.ip_local_port_range", "9 1")], status: 10,
            words: [
                "cleat: kernel/sysctl/net.ipv4.ip_local_port_range: the kernel refused \"9 1\" (EINVAL). "
                    + "Everything was restored\n"
            ]),
        Fault(
            name: "a directory in the place of a link", values: [hostname, ("system/timezone", "UTC")], status: 65,
            words: ["system/timezone", "/etc/localtime", "it is a directory", "nothing was changed"]),
    ]

    @Test(
        "Set, applied from a file or on trial: everything is as before, and the error names the failure and the remedy",
        .enabled(if: TestMachine.slowness == 1, "what it sets and looks at is the same on a board, where it takes long")
    )
    func faults() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let first = try await board.cleat("set", "system/hostname=before", "\(Self.ttl.path)=50")
            #expect(first.status == 0, "\(first)")
            let before = try await space.script(Self.look).output
            #expect(before.hasPrefix("before\n50\n"), "\(before)")

            for fault in Self.faults {
                try await space.script(fault.begin)
                let words = fault.values.map { "\($0.path)=\($0.value.canonicalText)" }
                let text = try Self.document(fault.values)
                let attempts = [
                    try await board.script(#"exec "$CLEAT" set "$@""#, words),
                    try await board.script(#"exec "$CLEAT" apply -"#, input: text),
                    try await board.script(#"exec "$CLEAT" set --confirm 10m "$@""#, words),
                ]
                try await space.script(fault.end)
                for attempt in attempts {
                    #expect(attempt.status == fault.status && attempt.output.isEmpty, "\(fault.name): \(attempt)")
                    for word in fault.words {
                        #expect(attempt.errorText.contains(word), "\(fault.name): \(word) in \(attempt)")
                    }
                }
                #expect(try await space.script(Self.look).output == before, "\(fault.name)")
                #expect(try await agent.get("system/hostname") == "before")
                #expect(try await agent.get(Self.ttl.path) == 50)
                #expect(try await agent.status().trial == nil, "\(fault.name)")
            }
            #expect(try await board.cleat("drift").output == "no outside edits found\n")
            let last = try await board.cleat("set", "system/hostname=last", "\(Self.ttl.path)=51")
            #expect(last.status == 0, "\(last)")
            #expect(try await space.script(Self.look).output.hasPrefix("last\n51\n"))
        }
    }

    @Test("On a read-only image a change is reverted with one error; on a writable one it is made")
    func readOnlyImage() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                """
                mkdir -p $D/root/etc
                printf 'factory\\n' >$D/root/etc/hostname
                mount --bind $D/root/etc $D/root/etc
                mount -o remount,bind,ro $D/root/etc
                """)
            let agent = try await board.start(space.options)
            let words = ["system/hostname=after", "system/timezone=UTC", "\(Self.ttl.path)=51"]
            for more in [[], ["--confirm", "10m"]] {
                let set = try await board.script(#"exec "$CLEAT" set "$@""#, words + more)
                #expect(set.status == 10 && set.output.isEmpty, "\(set)")
                for word in ["/etc/hostname", "make its file system writable", "Nothing was changed"] {
                    #expect(set.errorText.contains(word), "\(word) in \(set)")
                }
                #expect(try await agent.status().trial == nil)
                #expect(try await agent.status().settings == 0)
            }
            let look = "cd $D/root/etc && find . | sort && cat hostname"
            #expect(try await space.script(look).output == ".\n./hostname\nfactory\n")
            try await space.script("mount -o remount,bind,rw $D/root/etc")
            let set = try await board.script(#"exec "$CLEAT" set "$@""#, words)
            #expect(set.status == 0, "\(set)")
            #expect(try await space.script(look).output.hasSuffix("\nafter\n"))
        }
    }

    /// The settings as a file has them.
    private static func document(_ values: [(path: String, value: JSONValue)]) throws -> String {
        var groups: [String: [String]] = [:]
        for (path, value) in values {
            let names = path.split(separator: "/").map(String.init)
            groups[names.dropLast().joined(separator: "/"), default: []].append(
                "'\(names.last ?? "")': \(value.canonicalText)")
        }
        let system = groups["system"].map { "system: { \($0.joined(separator: ", ")) }" }
        let sysctl = groups["kernel/sysctl"].map { "kernel: { sysctl: { \($0.joined(separator: ", ")) } }" }
        return "{ \([system, sysctl].compactMap(\.self).joined(separator: ", ")) }"
    }
}
