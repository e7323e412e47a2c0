import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// For random boards and random settings A and B: applying B and reverting leaves what A left, to the byte; unsetting all
/// leaves what was there before the first change.
@Suite(.tags(.board)) struct RevertPropertyTests {
    /// Puts something, or nothing, in the places that adapters write.
    static func prepare(_ root: String, _ directory: TemporaryDirectory?, using random: inout SeededGenerator) throws {
        func put(_ text: String, _ path: String) throws {
            let file = try FileDescriptor.open(
                FilePath(root + path), .writeOnly, options: [.create, .truncate],
                permissions: FilePermissions(
                    rawValue: CModeT([0o644, 0o600, 0o4755, 0o640].randomElement(using: &random) ?? 0o644)))
            _ = try file.closeAfter { try file.writeAll(text.utf8) }
            if Bool.random(using: &random) { try give(root + path, to: UInt32.random(in: 1...70_000, using: &random)) }
        }
        func maybe(_ body: () throws -> Void) rethrows { if Bool.random(using: &random) { try body() } }
        switch Int.random(in: 0...3, using: &random) {
        case 0: break
        case 1: try put("", "/etc/hostname")
        case 2: try put("\u{FF}old-name no line feed", "/etc/hostname")
        default:
            try put("linked\n", "/run/hostname")
            try makeLink(root + "/etc/hostname", to: "../run/hostname")
        }
        try maybe {
            let line = "\t127.0.1.1   old.example.org old"
            let texts = [
                "127.0.0.1 localhost\n\(line)\n# end\n", line, "127.0.0.1 localhost\n", "\(line)\r\n::1 a\n", "",
            ]
            try put(texts.randomElement(using: &random) ?? "", "/etc/hosts")
        }
        switch Int.random(in: 0...4, using: &random) {
        case 0: break
        case 1: try makeLink(root + "/etc/localtime", to: "/usr/share/zoneinfo/Europe/Paris")
        case 2: try makeLink(root + "/etc/localtime", to: "../nowhere/at-all")
        case 3:
            try makeLink(root + "/etc/localtime", to: "../usr/share/zoneinfo/UTC")
            try give(root + "/etc/localtime", to: 1234)
        default: try put("TZif own", "/etc/localtime")
        }
        try maybe { try put("Etc/UTC\n", "/etc/timezone") }
        switch Int.random(in: 0...3, using: &random) {
        case 0: break
        case 1, 2:
            try put("program", "/usr/lib/systemd/systemd-timesyncd")
            try maybe {
                try makeDirectories(root + "/etc/systemd/timesyncd.conf.d")
                try put("[Time]\n", "/etc/systemd/timesyncd.conf.d/60-cleat.conf")
            }
            try maybe {
                try makeDirectories(root + "/etc/systemd/system")
                try put("[Unit]\n", "/etc/systemd/system/systemd-timesyncd.service")
            }
        default:
            try makeDirectories(root + "/usr/sbin")
            try put("program", "/usr/sbin/chronyd")
            try makeDirectories(root + "/etc/chrony")
            try put("pool a\nsourcedir /run/chrony\nsourcedir /etc/chrony/sources.d\n", "/etc/chrony/chrony.conf")
        }
        try maybe {
            try makeDirectories(root + "/etc/sysctl.d")
            try maybe { try put("# mine\n", "/etc/sysctl.d/60-cleat.conf") }
        }
    }

    static func values(using random: inout SeededGenerator) -> [(String, JSONValue)] {
        let choices: [(String, [JSONValue])] = [
            ("system/hostname", ["gateway-7", "a", "gw.example.org"]),
            ("system/timezone", ["UTC", "Europe/Berlin", "Europe/Paris"]),
            ("time/ntp/servers", [[], ["ntp.example.net"], ["192.0.2.1", "2001:db8::1"]]),
            ("time/ntp/enabled", [true, false]),
            ("kernel/sysctl/net.ipv4.ip_forward", [true, false, 0, 1, "1"]),
            ("kernel/sysctl/net~1ipv4~1conf~1lo~1rp_filter", [0, 1, 2]),
            ("kernel/sysctl/net.ipv4.ip_local_port_range", ["1024 60999", "2000 3000"]),
            ("kernel/attributes/class~1net~1lo~1mtu", [1500, 65536]),
            ("kernel/attributes/class~1net~1lo~1tx_queue_len", [1, 1000]),
            ("kernel/attributes/class~1net~1lo~1ifalias", ["some words", "", "x"]),
        ]
        return choices.compactMap { path, values in
            guard Bool.random(using: &random) else { return nil }
            return values.randomElement(using: &random).map { (path, $0) }
        }
    }

    static func check(seed: UInt64, isRunning: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let board = try TestBoard(isRunning: isRunning) { root in try prepare(root, nil, using: &random) }
        let (a, b) = (values(using: &random), values(using: &random))
        let (settingsA, settingsB) = (try board.settings(a), try board.settings(b))
        let none = try board.settings([])
        var origins: [Resource: Memento] = [:]

        let untouched = try board.state()
        let first = try AppliedChange(board, from: none, to: settingsA, origins: &origins)
        try #require(first.isSuccess, "seed \(seed): \(first.results.flatMap(\.errors))")
        if a.isEmpty { #expect(try board.state() == untouched, "seed \(seed)") }

        let atA = try board.state()
        let second = try AppliedChange(board, from: settingsA, to: settingsB, origins: &origins)
        try #require(second.isSuccess, "seed \(seed): \(second.results.flatMap(\.errors))")
        for (resource, wanted) in second.change.parts.flatMap(\.steps).map({ ($0.resource, $0.after) }) {
            guard case .text(let text) = wanted, case .attribute(let path) = resource, isRunning else { continue }
            #expect(try board.system.value(ofAttribute: path) == text, "seed \(seed)")
        }
        let reverted = board.set.applier.restore(second.mementos, on: board.system)
        #expect(reverted.flatMap(\.errors).isEmpty, "seed \(seed): \(reverted.flatMap(\.errors))")
        #expect(try board.state() == atA, "seed \(seed): revert of \(b) to \(a)")

        let last = try AppliedChange(board, from: settingsA, to: none, origins: &origins)
        #expect(last.isSuccess, "seed \(seed)")
        #expect(try board.state() == untouched, "seed \(seed): unset of \(a)")
    }

    @Test(
        "1,000 boards and settings in namespaces, kernel included",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable))
    func withKernel() async throws {
        try await OwnNamespaces.run {
            for seed in TestMachine.seeds(1_000, briefly: 25) { try Self.check(seed: seed, isRunning: true) }
        }
    }

    @Test(
        "100 boards and settings below a root, without the kernel",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable))
    func belowRoot() async throws {
        try await OwnNamespaces.run {
            for seed in TestMachine.seeds(100, briefly: 10) { try Self.check(seed: 2_000 + seed, isRunning: false) }
        }
    }
}
