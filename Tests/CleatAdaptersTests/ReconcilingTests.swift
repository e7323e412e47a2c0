import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of the startup, which brings the system in line with the settings and reports the differences that remain.
@Suite struct ReconcilingTests {
    /// A board on which a change was made, with what is remembered of it.
    struct Managed {
        let board: TestBoard
        let settings: LayeredSettings
        var known: [Resource: KnownResource] = [:]
        var origins: [Resource: Memento] = [:]

        init(_ values: [(String, JSONValue)], isRunning: Bool = false) throws {
            board = try TestBoard(isRunning: isRunning)
            settings = try board.settings(values)
            let applied = try AppliedChange(board, from: try board.settings([]), to: settings, origins: &origins)
            #expect(applied.isSuccess)
            for part in applied.change.parts {
                for step in part.steps {
                    guard let state = step.after, let found = try board.system.fingerprint(of: step.resource) else {
                        continue
                    }
                    known[step.resource] = KnownResource(
                        adapter: part.adapter, wanted: state.fingerprint, found: found, hasOrigin: true)
                }
            }
        }

        func reconcile(
            _ occasion: Reconciliation.Occasion, _ settings: LayeredSettings? = nil, isComplete: Bool = true,
            leaving: Set<Resource> = []
        ) -> Reconciliation {
            board.set.reconcile(
                settings ?? self.settings, known: known, occasion, leaving: leaving, isComplete: isComplete,
                on: board.system)
        }

        func write(_ text: String, to path: String) throws { try board.directory.write(text, to: "root" + path) }
    }

    static let occasions: [Reconciliation.Occasion] = [.boot, .restart, .inspect, .repair([])]

    @Test("if the system follows the settings, there is nothing to do", arguments: occasions)
    func nothing(occasion: Reconciliation.Occasion) throws {
        let managed = try Managed([("system/hostname", "a.b"), ("system/timezone", "UTC")])
        let found = managed.reconcile(occasion)
        #expect(found.change.isEmpty && found.drift.isEmpty && found.found.isEmpty && found.forgotten.isEmpty)
        #expect(found.problems.isEmpty)
    }

    @Test("an edited file stays and is reported; a missing one is written")
    func changedAndMissing() throws {
        let managed = try Managed([("system/hostname", "a"), ("system/timezone", "UTC")])
        try managed.write("theirs\n", to: "/etc/hostname")
        try removeName(managed.board.root + "/etc/localtime")
        for occasion in [Reconciliation.Occasion.boot, .restart] {
            let found = managed.reconcile(occasion)
            #expect(found.drift.map(\.resource) == [.file("/etc/hostname")])
            #expect(found.drift.map(\.setting?.text) == ["system/hostname"])
            #expect(found.change.resources == [.link("/etc/localtime")])
        }
        let look = managed.reconcile(.inspect)
        #expect(look.change.isEmpty)
        #expect(look.drift.map(\.resource) == [.file("/etc/hostname"), .link("/etc/localtime")])
        #expect(look.drift.last?.kind == .missing)
        let repair = managed.reconcile(.repair([.file("/etc/hostname")]))
        #expect(repair.change.resources == [.file("/etc/hostname")])
        #expect(repair.drift.map(\.resource) == [.link("/etc/localtime")])
    }

    @Test("another mode is a change, too, and a change that is on trial is not one")
    func modeAndTrial() throws {
        let managed = try Managed([("system/hostname", "a")])
        try managed.board.directory.write("a\n", to: "root/etc/hostname", mode: 0o600)
        #expect(managed.reconcile(.boot).drift.map(\.resource) == [.file("/etc/hostname")])
        #expect(managed.reconcile(.boot, leaving: [.file("/etc/hostname")]).drift.isEmpty)
    }

    @Test("other files of the vendor replace unchanged ones, and release those that no setting needs any more")
    func otherSettings() throws {
        let managed = try Managed([("system/hostname", "a"), ("system/timezone", "UTC")])
        let other = try managed.board.settings([("system/hostname", "b")])
        let found = managed.reconcile(.restart, other)
        #expect(found.drift.isEmpty)
        #expect(found.change.resources == [.link("/etc/localtime"), .file("/etc/hostname")])
        #expect(found.change.parts.first?.steps.first?.restoresOrigin == true)
        // What a file that is refused just now would want stays.
        #expect(managed.reconcile(.restart, other, isComplete: false).change.resources == [.file("/etc/hostname")])
        try managed.write("theirs\n", to: "/etc/hostname")
        try removeName(managed.board.root + "/etc/localtime")
        try makeLink(managed.board.root + "/etc/localtime", to: "theirs")
        let kept = managed.reconcile(.restart, other)
        #expect(kept.change.isEmpty && kept.drift.count == 2)
        let back = managed.reconcile(.repair([.link("/etc/localtime")]), other)
        #expect(back.change.resources == [.link("/etc/localtime")])
    }

    @Test("an interrupted write is repeated, and a file that was never written is written")
    func unfinished() throws {
        var managed = try Managed([("system/hostname", "a")])
        let file = Resource.file("/etc/hostname")
        managed.known[file]?.found = ""
        var found = managed.reconcile(.restart)
        #expect(found.change.isEmpty && found.found.map(\.resource) == [file])
        try managed.write("half", to: "/etc/hostname")
        found = managed.reconcile(.restart)
        #expect(found.change.resources == [file] && found.drift.isEmpty)
        managed.known = [:]
        found = managed.reconcile(.restart)
        #expect(found.change.resources == [file])
        #expect(managed.reconcile(.inspect).drift.map(\.kind) == [.notApplied])
        // A release that did not remember what it wrote has left an origin only.
        managed.known[file] = KnownResource(adapter: "host-name", hasOrigin: true)
        found = managed.reconcile(.restart)
        #expect(found.change.isEmpty && found.drift.map(\.resource) == [file])
    }

    @Test("a resource that cannot be checked is reported, and the others continue")
    func unreadable() throws {
        let managed = try Managed([("system/hostname", "a"), ("system/timezone", "UTC")])
        try removeName(managed.board.root + "/etc/hostname")
        try removeName(managed.board.root + "/etc/localtime")
        try makeDirectories(managed.board.root + "/etc/hostname")
        let found = managed.reconcile(.boot)
        #expect(found.drift.count == 1 && found.drift.first?.resource == .file("/etc/hostname"))
        guard case .unreadable = found.drift.first?.kind else {
            Issue.record("\(found.drift)")
            return
        }
        #expect(found.change.resources == [.link("/etc/localtime")])
    }

    @Test(
        "after a boot the kernel's values are set again; within a boot outside changes stay",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable))
    func kernel() async throws {
        try await OwnNamespaces.run {
            let forward = Resource.attribute("/proc/sys/net/ipv4/ip_forward")
            let calls = SystemKernelCalls()
            try calls.write(Array("0\n".utf8), toAttribute: "/proc/sys/net/ipv4/ip_forward")
            var managed = try Managed(
                [("kernel/sysctl/net.ipv4.ip_forward", 1), ("system/hostname", "mine")], isRunning: true)
            #expect(managed.reconcile(.boot).change.isEmpty)
            try calls.write(Array("0\n".utf8), toAttribute: "/proc/sys/net/ipv4/ip_forward")
            try calls.setHostName(Array("theirs".utf8))
            let restart = managed.reconcile(.restart)
            #expect(restart.change.isEmpty && Set(restart.drift.map(\.resource)) == [forward, .hostName])
            let boot = managed.reconcile(.boot)
            #expect(boot.drift.isEmpty && Set(boot.change.resources) == [forward, .hostName])
            // What nothing wants any more the kernel has forgotten by itself.
            let none = try managed.board.settings([])
            let gone = managed.reconcile(.boot, none)
            #expect(Set(gone.forgotten) == [forward, .hostName])
            #expect(managed.reconcile(.restart, none).drift.count == 2)
            let written = managed.known[forward]
            let now = try managed.board.system.fingerprint(of: forward)
            managed.known[forward]?.found = now
            #expect(managed.reconcile(.restart, none).change.resources.contains(forward))
            managed.known[forward] = written
            // One value that this kernel has not keeps no other from being set.
            let odd = try managed.board.settings([
                ("kernel/sysctl/net.ipv4.ip_forward", 1), ("kernel/sysctl/net.ipv4.none_such", 1),
            ])
            managed.known[.file("/etc/sysctl.d/60-cleat.conf")] = nil
            let partly = managed.reconcile(.boot, odd)
            #expect(partly.problems.map(\.path.text) == ["kernel/sysctl/net.ipv4.none_such"])
            #expect(partly.change.resources.contains(forward))
        }
    }

    @Test("an outside change is reported as its setting, if there is one")
    func adopted() throws {
        let settings = try TestBoard().settings([
            ("system/hostname", "a"), ("system/timezone", "UTC"), ("kernel/sysctl/vm.swappiness", 3),
            ("leds/red/trigger", "timer"), ("leds/blue/brightness", 1),
        ])
        var told: [String: String] = [:]
        for adapter in AdapterSet.builtIn(SystemFacts(hasTimezoneFile: true)).adapters {
            for wanted in adapter.desired(settings).wanted {
                let content = wanted.resource == .link("/etc/localtime") ? "../usr/share/zoneinfo/Asia/Tokyo" : "new"
                told[wanted.resource.description] = adapter.adopted(wanted, Array(content.utf8))
                if case .link = wanted.resource {
                    #expect(adapter.adopted(wanted, Array("/elsewhere".utf8)) == nil)
                }
                if case .file("/etc/hostname") = wanted.resource {
                    #expect(adapter.adopted(wanted, Array("two names\n".utf8)) == nil)
                    #expect(adapter.adopted(wanted, []) == nil && adapter.adopted(wanted, [0xFF]) == nil)
                }
            }
        }
        #expect(
            told == [
                "/etc/hostname": "new", "the kernel's host name": "new", "/etc/localtime": "Asia/Tokyo",
                "/proc/sys/vm/swappiness": "new", "/sys/class/leds/red/trigger": "new",
                "/sys/class/leds/blue/brightness": "new",
            ])
    }
}
