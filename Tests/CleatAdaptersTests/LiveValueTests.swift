import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of values that adapters read from the system.
@Suite struct LiveValueTests {
    private static func live(_ board: TestBoard, _ prefix: String?, _ set: [(String, JSONValue)] = []) throws
        -> [String]
    {
        let found = board.set.live(
            under: try prefix.map { try SettingPath($0) }, try board.settings(set), on: board.system)
        #expect(found.problems.isEmpty, "\(found.problems)")
        return found.values.map { "\($0.live.path) \($0.live.value) \($0.adapter)" }
    }

    @Test("Files below a root directory, by the paths that are requested")
    func files() throws {
        let board = try TestBoard { root in
            try makeLink(root + "/etc/localtime", to: "../usr/share/zoneinfo/Europe/Berlin")
            try makeFile(root + "/etc/hostname", " pump-7 \n")
            try makeDirectories(root + "/usr/lib/systemd/systemd-timesyncd")
            try makeDirectories(root + "/usr/lib/systemd/system/systemd-timesyncd.service")
            try makeDirectories(root + "/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service")
            try makeFile(root + "/etc/systemd/timesyncd.conf", "[Time]\nNTP=z.example\n")
            try makeDirectories(root + "/etc/systemd/timesyncd.conf.d")
            try makeFile(
                root + "/etc/systemd/timesyncd.conf.d/60-cleat.conf", "[Time]\nNTP=\nNTP=a.example b.example\n")
        }
        let all = [
            "system/hostname pump-7 host-name", "system/timezone Europe/Berlin time-zone",
            "time/ntp/enabled true time-servers", "time/ntp/servers [a.example,b.example] time-servers",
        ].map { $0.replacing("pump-7 ", with: "pump-7 ") }
        func texts(_ prefix: String?) throws -> [String] {
            try Self.live(board, prefix).map { $0.filter { $0 != "\"" } }
        }
        #expect(try texts(nil) == all)
        #expect(try texts("system") == Array(all.prefix(2)) && texts("system/timezone") == [all[1]])
        #expect(
            try texts("time") == Array(all.suffix(2)) && texts("kernel") == []
                && texts("network/interfaces/eth0/mtu") == [])
        try makeLink(board.root + "/etc/systemd/system/systemd-timesyncd.service", to: "/dev/null")
        #expect(try texts("time/ntp/enabled") == ["time/ntp/enabled false time-servers"])
        // The servers of chrony are those of all its files.
        let chrony = try TestBoard { root in
            try makeDirectories(root + "/etc/chrony/sources.d")
            try makeDirectories(root + "/usr/sbin/chronyd")
            try makeFile(
                root + "/etc/chrony/chrony.conf",
                "pool p.example iburst\n# server no.example\nsourcedir /etc/chrony/sources.d\n")
            try makeFile(root + "/etc/chrony/sources.d/60-cleat.sources", "server a.example iburst\n")
        }
        #expect(
            try Self.live(chrony, "time/ntp/servers")
                == [#"time/ntp/servers ["p.example","a.example"] time-servers"#])
        // What is no one name, or no zone, has no value.
        try board.directory.write("two names\n", to: "root/etc/hostname")
        try removeName(board.root + "/etc/localtime")
        try makeLink(board.root + "/etc/localtime", to: "/elsewhere")
        #expect(try texts("system") == [])
    }

    @Test("LEDs are listed whether they are set or not; a parameter only if it is set or named")
    func kernel() throws {
        let board = try TestBoard(isRunning: true, hasTreeKernel: true) { root in
            for (path, text) in [
                ("/sys/class/leds/red/trigger", "none [timer]\n"), ("/sys/class/leds/red/brightness", "7\n"),
                ("/sys/class/leds/red/max_brightness", "255\n"), ("/proc/sys/vm/swappiness", "60\n"),
            ] {
                try makeDirectories(root + String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
                try makeFile(root + path, text)
            }
        }
        let leds = ["leds/red/brightness 7 leds", #"leds/red/trigger "timer" leds"#]
        #expect(try Self.live(board, "leds") == leds && Self.live(board, "leds/red/trigger") == [leds[1]])
        #expect(try Self.live(board, "kernel") == [])
        let parameter = try Self.live(board, "kernel/sysctl/vm.swappiness")
        #expect(
            parameter.count == 1 && parameter[0].hasSuffix(" sysctl") && parameter[0].contains("60"), "\(parameter)")
        #expect(try Self.live(board, "kernel", [("kernel/sysctl/vm.swappiness", 10)]) == parameter)
        for name in ["..", "a..~1b", "~1etc~1passwd", "x y"] {
            #expect((try? Self.live(board, "kernel/sysctl/\(name)")) ?? [] == [], "\(name)")
            #expect((try? Self.live(board, "leds/\(name)")) ?? [] == [], "\(name)")
            #expect((try? Self.live(board, "kernel/attributes/\(name)")) ?? [] == [], "\(name)")
        }
    }

    @Test("A value that cannot be read is a problem of its adapter; the others are read")
    func failures() throws {
        let board = try TestBoard { root in
            try makeFile(root + "/etc/hostname", "pump-7\n")
            try makeLink(root + "/etc/localtime", to: "../usr/share/zoneinfo/UTC")
        }
        let settings = try board.settings([])
        board.calls.fail(at: nil)
        _ = board.set.live(under: nil, settings, on: board.system)
        let count = board.calls.count
        #expect(count > 0)
        for number in 0..<count {
            board.calls.fail(at: number, .ioError)
            let found = board.set.live(under: nil, settings, on: board.system)
            board.calls.fail(at: nil)
            #expect(found.problems.count == 1 && found.values.count == 1, "\(number): \(found)")
            #expect(found.problems.allSatisfy { $0.errno == .ioError && $0.stage == .inspect }, "\(found.problems)")
        }
    }
}
