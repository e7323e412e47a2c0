import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// The desired states of the built-in adapters.
@Suite struct BuiltInAdapterTests {
    static func settings(_ values: [(String, JSONValue)]) throws -> LayeredSettings {
        LayeredSettings(
            schema: .builtIn, committed: SettingsTree(try values.map { (try SettingPath($0.0), $0.1) }))
    }

    static func wanted(_ adapter: any Adapter, _ values: (String, JSONValue)...) throws -> [String: String] {
        let desired = adapter.desired(try settings(values))
        #expect(desired.problems.isEmpty)
        return Dictionary(
            uniqueKeysWithValues: desired.wanted.map { wanted in
                let text =
                    switch wanted.state {
                    case .file(let file): String(decoding: file.bytes, as: UTF8.self)
                    case .text(let text): text
                    case .link(let target): "-> " + target
                    case .absent: "absent"
                    case .kept: "kept"
                    case .content(let hash): hash
                    case .interface(let state): "\(state)"
                    }
                return (wanted.resource.text, text)
            })
    }

    @Test("unset settings have no desired states")
    func unmanaged() throws {
        let facts = SystemFacts(timeService: .timesyncd, hasTimezoneFile: true)
        let nothing = try Self.settings([])
        for adapter in AdapterSet.builtIn(facts).adapters {
            #expect(adapter.desired(nothing) == DesiredState(), "\(adapter.name)")
        }
        let settings = try Self.settings([("agent/log/level", "debug"), ("network/interfaces/eth0/mtu", 1400)])
        #expect(AdapterSet.builtIn(facts).change(from: nothing, to: settings).isEmpty)
    }

    @Test func hostName() throws {
        #expect(
            try Self.wanted(HostNameAdapter(), ("system/hostname", "gw.example.org")) == [
                "file:/etc/hostname": "gw.example.org\n",
                "line:127.0.1.1:/etc/hosts": "127.0.1.1\tgw.example.org\tgw",
                "host-name": "gw.example.org",
            ])
    }

    @Test func timeZone() throws {
        let adapter = TimeZoneAdapter(SystemFacts(hasTimezoneFile: true))
        #expect(
            try Self.wanted(adapter, ("system/timezone", "Europe/Berlin")) == [
                "link:/etc/localtime": "-> ../usr/share/zoneinfo/Europe/Berlin",
                "file:/etc/timezone": "Europe/Berlin\n",
            ])
        let board = try TestBoard()
        for (zone, isThere) in [("UTC", true), ("Europe/Paris", true), ("Europe", false), ("Europe/Rome", false)] {
            let settings = try Self.settings([("system/timezone", .string(zone))])
            let problems = board.set.check(settings, board.set.change(from: nil, to: settings), on: board.system)
            #expect(problems.isEmpty == isThere, "\(zone): \(problems)")
        }
    }

    @Test func timeServers() throws {
        let servers: (String, JSONValue) = ("time/ntp/servers", ["a.example", "192.0.2.1"])
        #expect(
            try Self.wanted(TimeServersAdapter(SystemFacts(timeService: .timesyncd)), servers) == [
                "file:/etc/systemd/timesyncd.conf.d/60-cleat.conf":
                    "# Written by Cleat from time/ntp/servers.\n[Time]\nNTP=a.example 192.0.2.1\n"
            ])
        let chrony = TimeServersAdapter(
            SystemFacts(timeService: .chrony(sources: "/etc/chrony/sources.d", unit: "chrony.service")))
        #expect(
            try Self.wanted(chrony, servers, ("time/ntp/enabled", false)) == [
                "file:/etc/chrony/sources.d/60-cleat.sources":
                    "# Written by Cleat from time/ntp/servers.\nserver a.example iburst\nserver 192.0.2.1 iburst\n",
                "link:/etc/systemd/system/chrony.service": "-> /dev/null",
            ])
        let none = TimeServersAdapter(SystemFacts()).desired(try Self.settings([servers]))
        #expect(none.wanted.isEmpty && none.problems.isEmpty && none.notes.count == 1)
        let file = Resource.file("/etc/chrony/sources.d/60-cleat.sources")
        let actions = chrony.actions(from: try Self.settings([]), to: try Self.settings([servers]), changed: [file])
        #expect(actions.count == 1)
        guard case .command(let command) = actions.first else { return }
        #expect(command.service == "chrony.service" && command.arguments == ["reload", "sources"])
    }

    @Test("a time zone is refused if there is no tz database, and accepted once there is one", .tags(.fault))
    func zonesThatAreMissing() throws {
        let board = try TestBoard()
        let zones = board.root + "/usr/share/zoneinfo"
        let (none, berlin) = (
            try board.settings([]), try board.settings([("system/timezone", "Europe/Berlin")])
        )
        func problems() -> [SettingProblem] {
            board.set.check(berlin, board.set.change(from: none, to: berlin), on: board.system)
        }
        #expect(problems().isEmpty)
        try moveName(zones, to: zones + ".away")
        let found = problems()
        #expect(found.map(\.path.description) == ["system/timezone"], "\(found)")
        #expect(found.first?.code == .system && found.first?.reason.contains("/usr/share/zoneinfo") == true, "\(found)")
        try moveName(zones + ".away", to: zones)
        #expect(problems().isEmpty)
    }

    @Test func timeServiceThatIsToRun() throws {
        let link = "/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service"
        let unit = "/usr/lib/systemd/system/systemd-timesyncd.service"
        let on: (String, JSONValue) = ("time/ntp/enabled", true)
        func prepare(_ root: String) throws {
            try makeDirectories(root + "/usr/lib/systemd/systemd-timesyncd")
            try makeDirectories(root + unit)
        }
        let disabled = try TestBoard(prepare: prepare)
        var facts = SystemFacts(of: disabled.system)
        #expect(facts.timeEnablement == .init(link: link, target: unit))
        let adapter = TimeServersAdapter(facts)
        #expect(try Self.wanted(adapter, on) == ["link:" + link: "-> " + unit])
        #expect(try Self.wanted(adapter, ("time/ntp/enabled", false)).keys.contains("link:" + link) == false)

        // A unit that is enabled already keeps its link.
        let other = "/lib/systemd/system/systemd-timesyncd.service"
        let enabled = try TestBoard { root in
            try prepare(root)
            try makeDirectories(root + "/etc/systemd/system/sysinit.target.wants")
            try makeLink(root + link, to: other)
        }
        facts = SystemFacts(of: enabled.system)
        #expect(facts.timeEnablement == .init(link: link, target: other))

        let resource = Resource.link(link)
        let (none, some) = (try Self.settings([]), try Self.settings([on]))
        func titles(_ old: LayeredSettings, _ new: LayeredSettings) -> [String] {
            adapter.actions(from: old, to: new, changed: [resource]).map {
                if case .command(let command) = $0 { command.title } else { "" }
            }
        }
        #expect(
            titles(none, some) == ["make systemd reload its units", "start systemd-timesyncd.service"])
        #expect(titles(some, none) == ["make systemd reload its units"])

        facts.timeEnablement = nil
        let without = TimeServersAdapter(facts).desired(some)
        #expect(without.wanted.isEmpty && without.notes.count == 1)
    }

    @Test func factsOfASystem() throws {
        let empty = try TestBoard()
        #expect(SystemFacts(of: empty.system) == SystemFacts())
        let chrony = try TestBoard { root in
            try makeDirectories(root + "/usr/sbin/chronyd")
            try makeDirectories(root + "/etc/chrony")
        }
        #expect(SystemFacts(of: chrony.system).timeService == .chronyWithoutSources)
        try chrony.directory.write("pool x\n sourcedir /etc/chrony/sources.d\n", to: "root/etc/chrony/chrony.conf")
        #expect(
            SystemFacts(of: chrony.system).timeService
                == .chrony(sources: "/etc/chrony/sources.d", unit: "chronyd.service"))
    }

    @Test func sysctl() throws {
        #expect(
            try Self.wanted(
                SysctlAdapter(), ("kernel/sysctl/net.ipv4.ip_forward", true),
                ("kernel/sysctl/net.ipv4.conf.eth0~1100.rp_filter", 2), ("kernel/sysctl/vm~1swappiness", "10"))
                == [
                    "file:/etc/sysctl.d/60-cleat.conf": """
                    # Written by Cleat from kernel/sysctl.
                    net/ipv4/conf/eth0.100/rp_filter = 2
                    net.ipv4.ip_forward = 1
                    vm.swappiness = 10

                    """,
                    "attribute:/proc/sys/net/ipv4/conf/eth0.100/rp_filter": "2",
                    "attribute:/proc/sys/net/ipv4/ip_forward": "1", "attribute:/proc/sys/vm/swappiness": "10",
                ])
    }

    @Test(
        "members of group cleat set parameters of the network, memory and reports, and no others", .tags(.fault),
        arguments: [
            ("net.ipv4.ip_forward", true), ("net/ipv4/conf/eth0.100/rp_filter", true), ("vm.swappiness", true),
            ("kernel.printk", true), ("fs.inotify.max_user_watches", true), ("kernel.hung_task_timeout_secs", true),
            ("kernel.dmesg_restrict", false), ("kernel.sysrq", false), ("kernel.kptr_restrict", false),
            ("kernel.yama.ptrace_scope", false), ("user.max_user_namespaces", false),
            ("net.core.bpf_jit_harden", false),
            ("kernel.panic_on_warn", false), ("fs.file-max-x", false), ("abi.vsyscall32", false),
        ])
    func operators(name: String, isTheirs: Bool) throws {
        let path = try SettingPath("kernel/sysctl").appending(name)
        #expect(SysctlAdapter().isForOperators(path) == isTheirs)
    }

    @Test("a file behind a link of sysfs that leaves the devices is not an attribute", .tags(.fault, .board))
    func linksOfDevices() throws {
        let calls = SystemKernelCalls()
        let device = "/sys/devices/system/cpu/cpu0/"
        for path in [device + "subsystem/drivers_autoprobe", "/sys/kernel/uevent_helper", "/sys/power/state"] {
            guard try SystemResources(root: FilePath("/"), isRunning: false).kind(at: path) != nil else { continue }
            #expect(throws: Errno.improperLink, "\(path)") { try calls.read(attribute: path) }
            #expect(throws: Errno.improperLink, "\(path)") { try calls.mayWrite(attribute: path) }
        }
        #expect(try calls.read(attribute: "/sys/class/net/lo/mtu") == Array("65536\n".utf8))
    }

    @Test(
        "parameters that run programs, and names with other paths or lines, are refused",
        arguments: [
            ("kernel/sysctl/kernel.core_pattern", "|/tmp/evil"), ("kernel/sysctl/kernel~1modprobe", "/tmp/evil"),
            ("kernel/sysctl/fs.binfmt_misc.register", ":x"), ("kernel/sysctl/net~1..~1..~1self", "1"),
            ("kernel/sysctl/net..ipv4", "1"), ("kernel/sysctl/net.ipv4.ip_forward", "1\nkernel.modprobe = /tmp/evil"),
            ("kernel/sysctl/fs.suid_dumpable", "2"), ("kernel/sysctl/fs.protected_symlinks", "0"),
            ("kernel/sysctl/kernel~1randomize_va_space", "0"), ("kernel/sysctl/vm.mmap_min_addr", "0"),
            ("kernel/sysctl/kernel.unprivileged_bpf_disabled", "0"), ("kernel/sysctl/kernel.cad_pid", "1"),
            ("kernel/attributes/class~1..~1kernel~1uevent_helper", "/tmp/evil"),
            ("kernel/attributes/class~1net~1lo~1ifalias", "a\nb"),
        ])
    func refusals(path: String, value: String) throws {
        let settings = try Self.settings([(path, .string(value))])
        let set = AdapterSet.builtIn(SystemFacts())
        let change = set.change(from: nil, to: settings)
        #expect(change.resources.allSatisfy { !$0.text.utf8.elementsEqual("attribute:/sys/kernel/uevent_helper".utf8) })
        let board = try TestBoard()
        let problems = board.set.check(settings, change, on: board.system)
        #expect(problems.map(\.path.text) == [path])
        #expect(change.isEmpty)
    }

    @Test func leds() throws {
        let adapter = LEDAdapter()
        let both = adapter.desired(
            try Self.settings([("leds/green:status/trigger", "timer"), ("leds/green:status/brightness", 9)]))
        #expect(
            both.wanted.map(\.resource) == [
                .attribute("/sys/class/leds/green:status/trigger"),
                .attribute("/sys/class/leds/green:status/brightness"),
            ])
        #expect(both.wanted.map(\.state) == [.text("timer"), .text("9")])
        #expect(
            adapter.desired(try Self.settings([("leds/a/brightness", 0)])).wanted.map(\.state) == [
                .text("none"), .text("0"),
            ])
        #expect(
            adapter.desired(try Self.settings([("leds/a/trigger", "timer")])).wanted.map(\.state) == [
                .text("timer"), .kept,
            ])
        // A trigger that comes or goes takes the brightness along.
        let set = AdapterSet([adapter])
        let level = try Self.settings([("leds/a/brightness", 9)])
        let timer = try Self.settings([("leds/a/brightness", 9), ("leds/a/trigger", "timer")])
        let other = try Self.settings([("leds/a/trigger", "timer")])
        let beat = try Self.settings([("leds/a/trigger", "heartbeat")])
        for (before, after) in [(level, timer), (timer, level), (other, beat)] {
            #expect(
                set.change(from: before, to: after).resources == [
                    .attribute("/sys/class/leds/a/trigger"), .attribute("/sys/class/leds/a/brightness"),
                ])
        }
        #expect(
            set.change(from: timer, to: other).resources == [.attribute("/sys/class/leds/a/brightness")])
        #expect(set.change(from: level, to: level).isEmpty)
        let contradiction = adapter.desired(
            try Self.settings([("leds/a/trigger", "timer"), ("leds/a/brightness", 0)]))
        #expect(contradiction.problems.map(\.path.text) == ["leds/a/brightness"])
    }

    @Test(
        "the values of the kernel's texts",
        arguments: [
            ("1\n", "1", "1\n"), ("none [timer] heartbeat\n", "timer", "timer\n"),
            ("4096\t87380\t6291456\n", "4096 87380 6291456", "4096\t87380\t6291456\n"),
            ("", "", "\n"), ("[none]\n", "none", "none\n"), ("[a] [b]\n", "[a] [b]", "[a] [b]\n"), ("x\0", "x", "x\0"),
        ])
    func attributeText(read: String, value: String, written: String) {
        #expect(AttributeText.value(of: Array(read.utf8)) == Array(value.utf8))
        #expect(AttributeText.written(from: Array(read.utf8)) == Array(written.utf8))
    }

    @Test("two settings that mean one parameter are refused")
    func twice() throws {
        let settings = try Self.settings([
            ("kernel/sysctl/vm.swappiness", 1), ("kernel/sysctl/vm~1swappiness", 2),
        ])
        #expect(SysctlAdapter().desired(settings).problems.count == 1)
    }

    @Test("outside changes are found")
    func drift() throws {
        let board = try TestBoard()
        var origins: [Resource: Memento] = [:]
        let settings = try board.settings([("system/hostname", "a"), ("system/timezone", "UTC")])
        let applied = try AppliedChange(board, from: try board.settings([]), to: settings, origins: &origins)
        var prints: [Resource: String] = [:]
        for resource in applied.change.resources { prints[resource] = try board.system.fingerprint(of: resource) }
        #expect(prints.count == 3)
        #expect(board.system.drift(of: prints).isEmpty)
        try board.directory.write("a\n", to: "root/etc/hostname", mode: 0o600)
        try removeName(board.root + "/etc/localtime")
        #expect(
            board.system.drift(of: prints).map(\.resource) == [
                .file("/etc/hostname"), .link("/etc/localtime"),
            ])
    }

    @Test("mementos outlast a store, and damaged ones are reported")
    func mementos() throws {
        let board = try TestBoard()
        let change = board.set.change(
            from: nil, to: try board.settings([("system/hostname", "a"), ("system/timezone", "UTC")]))
        let blinking = try FaultBench(.leds).origins.values.filter { $0.resource.text.hasSuffix("blue/trigger") }
        #expect(blinking.count == 1)
        for memento in try board.set.applier.capture(change, on: board.system) + blinking {
            let bytes = memento.encoded
            #expect(try Memento(encoded: bytes) == memento)
            for count in 0..<bytes.count {
                #expect(throws: ResourceError.self) { try Memento(encoded: Array(bytes.prefix(count))) }
            }
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 1
                #expect(throws: ResourceError.self) { try Memento(encoded: changed) }
            }
        }
    }
}

/// Checks of settings that need the running kernel.
@Suite(.tags(.board)) struct KernelCheckTests {
    @Test("a right that is missing is named, with the remedy, before anything is written")
    func rights() throws {
        let board = try TestBoard(isRunning: true)
        let settings = try board.settings([
            ("system/hostname", "a"), ("kernel/sysctl/net.ipv4.ip_forward", 1),
        ])
        let change = board.set.change(from: nil, to: settings)
        let before = try board.state()
        var named: Set<String> = []
        for number in 0... {
            board.calls.fail(at: number, .permissionDenied)
            let problems = board.set.check(settings, change, on: board.system)
            #expect(problems.count <= 1)
            for problem in problems {
                #expect(problem.reason.utf8.count < 200 && problem.code == .system, "\(problem)")
                named.insert(problem.path.text)
            }
            if !board.calls.failed { break }
        }
        #expect(named == ["system/hostname", "kernel/sysctl/net.ipv4.ip_forward"])
        board.calls.fail(at: nil)
        #expect(try board.state() == before)
    }

    @Test("a value that this kernel lacks is refused; below a root the kernel is not checked")
    func missing() throws {
        for isRunning in [true, false] {
            let board = try TestBoard(isRunning: isRunning)
            for path in [
                "kernel/sysctl/net.ipv4.no_such_thing", "kernel/attributes/class~1net~1lo~1none",
                "leds/none/brightness",
            ] {
                let settings = try board.settings([(path, 1)])
                let problems = board.set.check(settings, board.set.change(from: nil, to: settings), on: board.system)
                #expect(problems.isEmpty == !isRunning, "\(path)")
                #expect(problems.allSatisfy { $0.path.text == path })
            }
        }
    }

    @Test("below a root the kernel's values are skipped, and the result reports it")
    func skipped() throws {
        let board = try TestBoard()
        let settings = try board.settings([("system/hostname", "a"), ("kernel/sysctl/net.ipv4.ip_forward", 1)])
        var origins: [Resource: Memento] = [:]
        let applied = try AppliedChange(board, from: try board.settings([]), to: settings, origins: &origins)
        #expect(applied.isSuccess)
        let skipped = applied.results.flatMap(\.skipped)
        let kernels = skipped.filter { $0.resource.isRuntimeState }
        #expect(kernels.map(\.resource) == [.hostName, .attribute("/proc/sys/net/ipv4/ip_forward")])
        #expect(kernels.allSatisfy { $0.reason == SystemResources.belowRoot })
        #expect(try board.directory.read("root/etc/sysctl.d/60-cleat.conf").utf8.count > 20)
    }

    @Test("the text of a plan")
    func effects() throws {
        let board = try TestBoard { root in try makeDirectories(root + "/usr/lib/systemd/systemd-timesyncd") }
        let change = board.set.change(
            from: try board.settings([]),
            to: try board.settings([("time/ntp/servers", ["a.example"]), ("kernel/sysctl/vm.swappiness", 3)]))
        #expect(change.parts.map(\.adapter) == ["time-servers", "sysctl"])
        #expect(
            change.parts.map { $0.steps.map(\.resource) } == [
                [.file("/etc/systemd/timesyncd.conf.d/60-cleat.conf")],
                [.file("/etc/sysctl.d/60-cleat.conf"), .attribute("/proc/sys/vm/swappiness")],
            ])
        let services = change.parts.map(\.actions).map { actions in
            actions.map { action -> String? in
                guard case .command(let command) = action else { return nil }
                return command.service
            }
        }
        #expect(services == [["systemd-timesyncd.service"], []])
    }
}
