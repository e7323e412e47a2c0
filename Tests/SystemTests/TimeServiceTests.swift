import CleatAPI
import CleatIO
import CleatTestSupport
import Testing

/// Tests of the real service with the real chrony and the real systemd-timesyncd, in namespaces: they query the servers
/// of `time/ntp/servers`.
///
/// None of them may set the machine's clock.
@Suite("Time servers, end to end", .serialized, .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct TimeServiceTests {
    private static let chronyPlace = RealServices.unpacked(".build-chrony")
    private static let chronyReason: Comment = "needs chrony: .ci/setup test unpacks it"
    private static let hasChrony = Machine.can(
        "PATH=$PATH:\(chronyPlace); chronyd --version && command -v chronyc", chronyReason)

    /// Starts a server, which answers without setting a clock, and a client, which has a configured server that does
    /// not answer.
    private static let chronyPreparation =
        UnmanagedTests.preparation + "\nmount -t tmpfs none /run\n" + RealServices.appear + """
            PATH=$PATH:\(chronyPlace)
            mkdir -m 750 /run/chrony /run/server /run/programs
            cp $(command -v chronyd) /run/programs
            appear /usr/bin $(command -v chronyd) $(command -v chronyc)
            mkdir -p /etc/chrony/sources.d
            ip address add 192.0.2.123/32 dev lo
            cat >/run/server/conf <<'END'
            local stratum 5
            allow
            bindaddress 192.0.2.123
            cmdport 0
            bindcmdaddress /run/server/chronyd.sock
            pidfile /run/server/pid
            END
            cat >/etc/chrony/chrony.conf <<'END'
            server 192.0.2.50
            sourcedir /etc/chrony/sources.d
            port 0
            cmdport 0
            pidfile /run/chrony/pid
            END
            /run/programs/chronyd -x -d -u root -f /run/server/conf 2>$D/server.log &
            /run/programs/chronyd -x -d -u root -f /etc/chrony/chrony.conf 2>$D/chronyd.log &

            """

    @Test(
        "chrony queries the set servers, one of which answers; reverted, and unset, it queries the former ones",
        .enabled(if: hasChrony, chronyReason))
    func chrony() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.chronyPreparation)
            // Name and stratum of each; that of one that has not answered is 0.
            let look = "if test -S /run/chrony/chronyd.sock; then chronyc -c -n sources | cut -d , -f 3,4 | sort; fi"
            try await board.eventually(space, look, prints: "192.0.2.50,0\n")
            var options = space.options
            options.isRooted = false
            _ = try await board.start(options)
            func change(_ words: String...) async throws {
                let verbose = ["set", "unset", "rollback"].contains(words.first) ? ["--verbose"] : []
                let done = try await board.script(#"exec "$CLEAT" "$@""#, words + verbose)
                #expect(done.status == 0, "\(words): \(done)")
                // What has become of a change on trial is not told line by line.
                guard words.count == 2, words.first != "abort" else { return }
                #expect(done.output.contains("done: make chrony reload its servers"), "\(done)")
            }
            let ours = "192.0.2.123,5\n192.0.2.50,0\n2001:db8::123,0\n"
            try await change("set", #"time/ntp/servers=["192.0.2.123","2001:db8::123"]"#)
            try await board.eventually(space, look, prints: ours)
            try await change("set", #"time/ntp/servers=["192.0.2.124"]"#, "--confirm", "5m", "--id", "t1")
            try await board.eventually(space, look, prints: "192.0.2.124,0\n192.0.2.50,0\n")
            try await change("abort", "t1")
            try await board.eventually(space, look, prints: ours)
            try await change("unset", "time/ntp/servers")
            try await board.eventually(space, look, prints: "192.0.2.50,0\n")
            #expect(try await space.script("ls /etc/chrony/sources.d").output == "")
        }
    }

    private static let timesyncdPlace = RealServices.unpacked(".build-timesyncd")
    private static let timesyncdReason: Comment =
        "needs systemd-timesyncd (.ci/setup test unpacks it) of this systemd, dbus-daemon(1), and no chrony"
    private static let hasTimesyncd = Machine.can(
        """
        PATH=$PATH:/usr/lib/systemd:\(timesyncdPlace)
        ! test -e /usr/sbin/chronyd && ! test -e /usr/bin/chronyd && command -v busctl dbus-daemon setpriv \
          && command -v systemd-timesyncd && ! ldd $(command -v systemd-timesyncd) | grep 'not found'
        """, timesyncdReason)

    private static let timesyncdPreparation =
        UnmanagedTests.preparation + "\nmount -t tmpfs none /run\nmount -t tmpfs none /var/lib\n" + RealServices.appear
            + """
            if ! test -e /usr/lib/systemd/systemd-timesyncd; then
                appear /usr/lib/systemd \(timesyncdPlace)/systemd-timesyncd
            fi
            grep -q ^systemd-timesync: /etc/passwd || echo systemd-timesync:x:64990:64990::/: >>/etc/passwd
            grep -q ^systemd-timesync: /etc/group || echo systemd-timesync:x:64990: >>/etc/group
            mkdir -p /run/systemd/timesync /var/lib/systemd/timesync /etc/systemd
            chown systemd-timesync /run/systemd/timesync /var/lib/systemd/timesync
            printf '[Time]\\nNTP=192.0.2.50\\n' >/etc/systemd/timesyncd.conf
            ip address add 192.0.2.123/32 dev lo

            """ + RealServices.bus

    /// Starts timesyncd without the right to set the clock, asks it for its servers and whom it talks to until it answers
    /// what is wanted, and ends it.
    private static func timesyncdLook(_ wanted: String) -> String {
        """
        setpriv --reuid systemd-timesync --regid systemd-timesync --clear-groups --bounding-set -all --inh-caps -all \
          /usr/lib/systemd/systemd-timesyncd >>$D/timesyncd.log 2>&1 &
        pid=$!
        name=org.freedesktop.timesync1
        found=
        for try in $(seq 300); do
            found=$(busctl get-property $name /org/freedesktop/timesync1 $name.Manager SystemNTPServers ServerName \
              2>/dev/null || true)
            if test "$found" = '\(wanted)'; then break; fi
            sleep 0.1
        done
        kill $pid
        wait $pid || true
        printf %s "$found"
        """
    }

    @Test(
        "systemd-timesyncd gets the set servers in addition to its own; reverted, and unset, only its own",
        .enabled(if: hasTimesyncd, timesyncdReason))
    func timesyncd() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.timesyncdPreparation)
            try await board.eventually(
                space, "if test -S /run/dbus/system_bus_socket; then echo bus; fi", prints: "bus\n")
            var options = space.options
            options.isRooted = false
            _ = try await board.start(options)
            func expect(_ wanted: String) async throws {
                let found = try await space.script(Self.timesyncdLook(wanted)).output
                #expect(found == wanted)
            }
            func change(_ words: String...) async throws {
                let verbose = ["set", "unset", "rollback"].contains(words.first) ? ["--verbose"] : []
                let done = try await board.script(#"exec "$CLEAT" "$@""#, words + verbose)
                #expect(done.status == 0, "\(words): \(done)")
            }
            // There is no way to 192.0.2.50, so that the next one is asked.
            let ours = "as 3 \"192.0.2.50\" \"192.0.2.123\" \"2001:db8::123\"\ns \"192.0.2.123\""
            try await change("set", #"time/ntp/servers=["192.0.2.123","2001:db8::123"]"#)
            try await expect(ours)
            try await change("set", #"time/ntp/servers=["127.0.0.1"]"#, "--confirm", "5m", "--id", "t1")
            try await expect("as 2 \"192.0.2.50\" \"127.0.0.1\"\ns \"127.0.0.1\"")
            try await change("abort", "t1")
            try await expect(ours)
            try await change("unset", "time/ntp/servers")
            #expect(try await space.script("ls -A /etc/systemd/timesyncd.conf.d 2>/dev/null || true").output == "")
            #expect(try await space.script("cat /etc/systemd/timesyncd.conf").output == "[Time]\nNTP=192.0.2.50\n")
        }
    }
}
