import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// The real service on a system without a root directory of its own: in namespaces, on a private `/etc`, where everything
/// else can only be read.
@Suite(
    "A system without settings", .tags(.board), .serialized,
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct UnmanagedTests {
    /// Shuts the machine out: what is not below `$D` or `/etc` cannot be written.
    static let preparation = """
        mkdir $D/own-etc
        for name in passwd group hosts localtime ld.so.cache; do
            if test -e /etc/$name; then cp -a /etc/$name $D/own-etc/; fi
        done
        printf 'was-here\\n' >$D/own-etc/hostname
        chmod 640 $D/own-etc/hostname
        printf '127.0.0.1 localhost\\n127.0.1.1 was-here\\n' >$D/own-etc/hosts
        mount --bind $D $D
        mount --bind $D/own-etc /etc
        mount --bind /proc/sys /proc/sys
        mount -o remount,bind,ro /proc/sys
        mount -o remount,ro /sys
        mount -o remount,bind,ro /
        ! touch /proc/sys/vm/swappiness 2>/dev/null
        ! mkdir /cleat-test-was-here 2>/dev/null
        hostname was-here
        """

    /// All that an adapter could have changed.
    static let dump = """
        hostname
        find /proc/sys -type f -perm -200 ! -name ns_last_pid ! -name stat_refresh ! -path '*/random/*' \
          -exec grep -sH '' '{}' + | sort || true
        find /etc ! -type d -exec stat -c '%N %a %u %g %s' '{}' + | sort
        find /etc -type d -exec stat -c '%n %a %u %g' '{}' + | sort
        find /etc -type f -exec md5sum '{}' + | sort
        ip address; ip route
        """

    @Test("Nothing of it changes, set values change it, and unset restores the former state; a boot sets them again")
    func unmanaged() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            var options = space.options
            options.isRooted = false
            let before = try await space.script(Self.dump).output
            #expect(before.contains("was-here") && before.contains("/proc/sys/net/ipv4/ip_forward"), "\(before)")

            var agent = try await board.start(options)
            #expect(try await agent.status().root == nil)
            #expect(try await board.cleat("list").status == 0)
            #expect(try await space.script(Self.dump).output == before)

            #expect(try await board.cleat("set", "system/hostname=cleat-test").status == 0)
            #expect(
                try await space.script("hostname; cat /etc/hostname; sed -n 2p /etc/hosts").output
                    == "cleat-test\ncleat-test\n127.0.1.1\tcleat-test\n")
            // Within one boot an outside change stays; after another boot the kernel's value is set again.
            try await agent.stop()
            try await space.script("hostname theirs")
            agent = try await board.start(options)
            #expect(try await space.script("hostname").output == "theirs\n")
            let drift = try await agent.call(SystemInterface.Drift.self, .init()).drift
            #expect(drift.map(\.name) == ["hostname"] && drift.first?.value == "theirs", "\(drift)")
            try await agent.stop()
            try SystemCalls.remove(board.runtime + "/applied")
            agent = try await board.start(options)
            #expect(try await space.script("hostname").output == "cleat-test\n")
            #expect(try await agent.counter("store.syncs") == 0, "what is remembered is as it was")
            // An /etc that is made again with each boot is not an outside change; within one boot it is.
            for isBoot in [false, true] {
                try await agent.stop()
                try await space.script("printf 'was-here\\n' >/etc/hostname")
                if isBoot { try SystemCalls.remove(board.runtime + "/applied") }
                agent = try await board.start(options)
                let content = try await space.script("cat /etc/hostname").output
                #expect(content == (isBoot ? "cleat-test\n" : "was-here\n"))
                let found = try await agent.call(SystemInterface.Drift.self, .init()).drift
                #expect(found.map(\.name) == (isBoot ? [] : ["/etc/hostname"]), "\(found)")
            }
            try await space.script("hostname theirs")
            let adopted = try await board.cleat("adopt", "hostname")
            #expect(adopted.status == 0, "\(adopted)")
            #expect(try await space.script("cat /etc/hostname").output == "theirs\n")

            #expect(try await board.cleat("unset", "system/hostname").status == 0)
            #expect(try await space.script(Self.dump).output == before)
            try await agent.stop()
            _ = try await board.start(options)
            #expect(try await space.script(Self.dump).output == before)
        }
    }
}
