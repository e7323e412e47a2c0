import CleatTestSupport
import Testing

/// The steps that show on a real network service that IPv6, search domains and metrics follow their settings.
enum InterfaceFamilies {
    /// Makes the kernel's parameters of the network writable.
    static let writable = "\nmount --bind /proc/sys/net /proc/sys/net\nmount -o remount,bind,rw /proc/sys/net\n"

    private static let look = """
        cd /proc/sys/net/ipv6/conf/cleat0
        test -n "$(ip -6 -o address show dev cleat0)" && echo on || echo off
        cat use_tempaddr
        ip route show default dev cleat0 | grep -o 'via .*' | sed 's/proto static //; s/ *$//' || true
        """

    /// Sets, puts on trial, aborts and unsets them for the interface `cleat0`.
    ///
    /// - Parameters:
    ///   - board: the board with a running service.
    ///   - space: its namespaces.
    ///   - domains: true if the search domains come to `/etc/resolv.conf`.
    ///   - dns: a name server that is set with them; nil for none.
    ///   - restoresAcceptance: true if the kernel itself accepts router advertisements, as before.
    /// - Throws: a failure of the programs that are run.
    static func follow(
        _ board: Board, _ space: PrivateNamespace, domains: Bool, dns: String? = nil, restoresAcceptance: Bool = false
    ) async throws {
        let path = "network/interfaces/cleat0"
        func run(_ words: String..., status: Int32 = 0) async throws -> Board.Finished {
            let done = try await board.script(#"exec "$CLEAT" "$@""#, words)
            #expect(done.status == status, "\(words): \(done)")
            return done
        }
        let accepts = "/proc/sys/net/ipv6/conf/cleat0/accept_ra"
        if restoresAcceptance { try await space.script("echo 2 >\(accepts)") }
        if let dns { _ = try await run("set", "\(path)/dns=[\"\(dns)\"]", "\(path)/addresses=[\"192.0.2.4/24\"]") }
        let before = try await space.script(look).output
        _ = try await run(
            "set", "\(path)/addresses=[\"192.0.2.5/24\"]", "\(path)/gateway=192.0.2.9", "\(path)/metric=7",
            "\(path)/ipv6=off", "\(path)/search=[\"lan\",\"example.org\"]")
        try await board.eventually(space, look, prints: "off\n0\nvia 192.0.2.9 metric 7\n")
        if domains {
            #expect(try await space.script("cat /etc/resolv.conf").output.contains("search lan example.org\n"))
        }
        _ = try await run(
            "set", "\(path)/ipv6=auto", "\(path)/privacy=true", "\(path)/metric=9", "--confirm", "5m", "--id", "t1")
        try await board.eventually(space, look, prints: "on\n2\nvia 192.0.2.9 metric 9\n")
        _ = try await run("abort", "t1")
        try await board.eventually(space, look, prints: "off\n0\nvia 192.0.2.9 metric 7\n")

        // An address of the family that goes is not kept.
        _ = try await run("set", "\(path)/addresses=[\"192.0.2.5/24\",\"2001:db8::5/64\"]", "\(path)/ipv6=static")
        try await board.eventually(space, look, prints: "on\n0\nvia 192.0.2.9 metric 7\n")
        _ = try await run(
            "set", "\(path)/addresses=[\"192.0.2.6/24\"]", "\(path)/ipv6=off", "--confirm", "5m", "--id", "t2")
        try await board.eventually(space, look, prints: "off\n0\nvia 192.0.2.9 metric 7\n")
        #expect(try await space.script("ip -o -4 address show dev cleat0").output.contains("192.0.2.5/24"))
        _ = try await run("abort", "t2")
        try await board.eventually(space, look, prints: "on\n0\nvia 192.0.2.9 metric 7\n")
        _ = try await run("set", "\(path)/addresses=[\"192.0.2.5/24\"]", "\(path)/ipv6=off")
        try await board.eventually(space, look, prints: "off\n0\nvia 192.0.2.9 metric 7\n")

        // An address of another program is drift.
        try await space.script(
            "echo 0 >/proc/sys/net/ipv6/conf/cleat0/disable_ipv6; ip address add 2001:db8::7/64 dev cleat0")
        let drift = try await run("drift", status: 1)
        #expect(drift.output.contains("cleat0 has an IPv6 address"), "\(drift)")
        _ = try await run("reapply", "interface:cleat0")
        try await board.eventually(space, look, prints: "off\n0\nvia 192.0.2.9 metric 7\n")

        let refused = try await run("set", "\(path)/addresses=[\"2001:db8::5/64\"]", status: 65)
        #expect(refused.errorText.contains("\(path)/ipv6: is off"), "\(refused)")
        if dns == nil {
            _ = try await run("unset", path)
            try await board.eventually(space, look, prints: before)
        } else {
            _ = try await run("reset", path, "--yes")
        }
        if restoresAcceptance { #expect(try await space.script("cat \(accepts)").output == "2\n") }
    }
}
