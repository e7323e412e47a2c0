import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatUdev
import Testing

@testable import CleatObservers

@Suite("The kernel's own events", .tags(.board), .serialized)
struct KernelTests {
    @Test(
        "A veth pair is added, goes up, down, is renamed, addressed and removed: reported by both sources",
        .enabled(if: Machine.hasVeth, "needs private namespaces, and the ip(8) of iproute2 to make veth pairs in them"))
    func veth() async throws {
        let run = try await Probe.run(
            """
            set -e
            seen=$(mktemp)
            # Routes are read again after a message of them: one that is there for less time than that is not seen.
            $PROBE watch netlink-kernel --until 'removed cleat-*' '
                seen() { until [ "$(grep -c "$2" '"$seen"')" -ge "$1" ]; do :; done; }
                ip link add cleat-a type veth peer name cleat-b
                ip link set cleat-b up
                ip link set cleat-a up
                ip addr add 192.0.2.1/24 dev cleat-a
                ip addr add 2001:db8::1/64 dev cleat-a nodad
                # The kernel tells of it in a thread of its own, which also makes the route to it.
                until ip -6 route show table local | grep -q "2001:db8::1 "; do :; done
                ip link set cleat-a mtu 1400
                ip route add default via 192.0.2.2 metric 7
                seen 1 route-added
                ip -6 route add default via 2001:db8::2 metric 8
                seen 2 route-added
                ip addr del 192.0.2.1/24 dev cleat-a
                # A route has the name that its link has when the routes are read.
                seen 1 route-removed
                ip link set cleat-a down
                ip link set cleat-a name cleat-c
                ip link del cleat-b' >"$seen"
            cat "$seen"
            rm "$seen"
            """)
        let links = run.words(.link)
        func told(_ words: [String], _ source: EventSource = .link) -> Bool {
            var rest = run.words(source)[...]
            return words.allSatisfy { word in
                guard let place = rest.firstIndex(of: word) else { return false }
                rest = rest[(place + 1)...]
                return true
            }
        }
        #expect(
            told([
                "added cleat-a", "carrier-gained cleat-a", "up cleat-a", "address-added cleat-a", "changed cleat-a",
                "address-removed cleat-a", "carrier-lost cleat-a", "down cleat-a", "renamed cleat-c",
            ]), "\(links)")
        // One goes with the IPv4 address, the other with the link.
        #expect(
            told(["route-added cleat-a", "route-added cleat-a", "address-removed cleat-a", "route-removed cleat-a"]),
            "\(links)")
        #expect(links.count { $0.hasPrefix("route-removed ") } == 2, "\(links)")
        let routes = run.events.filter { $0.action == "route-added" }.map(\.properties)
        #expect(routes.map { $0["GATEWAY"] } == ["192.0.2.2", "2001:db8::2"], "\(routes)")
        #expect(routes.map { $0["METRIC"] } == ["7", "8"] && routes.map { $0["FAMILY"] } == ["ipv4", "ipv6"])
        #expect(told(["added cleat-b", "up cleat-b", "down cleat-b", "removed cleat-b"]), "\(links)")
        #expect(
            told(
                [
                    "add /devices/virtual/net/cleat-a", "move /devices/virtual/net/cleat-c",
                    "remove /devices/virtual/net/cleat-c",
                ], .device))
        let renamed = try #require(run.events.first { $0.action == "renamed" })
        #expect(renamed.properties["OLD_NAME"] == "cleat-a")
        #expect(renamed.properties["KIND"] == "veth")
        let address = try #require(run.events.first { $0.action == "address-added" })
        #expect(address.properties["IP_ADDRESS"] == "192.0.2.1/24")
        let six = run.events.filter { $0.properties["IP_ADDRESS"] == "2001:db8::1/64" }
        #expect(six.first?.properties["FAMILY"] == "ipv6")
        let mtu = try #require(run.events.first { $0.properties["CHANGED"]?.contains("mtu") == true })
        #expect(mtu.properties["MTU"] == "1400")
        #expect(run.events.map(\.sequence) == run.events.map(\.sequence).sorted())
        #expect(run.number("forged") == 0 && run.number("overruns") == 0)
    }

    @Test(
        "An ordinary user follows links",
        .enabled(if: Machine.hasUserNamespaces, "needs user namespaces for ordinary users"))
    func ordinaryUser() async throws {
        let directory = try TemporaryDirectory()
        let copy = directory.appending("observer-probe")
        let run = try await Probe.run(
            namespaces: "",
            """
            cp "$PROBE" \(copy)
            chmod 755 \(directory.text) \(copy)
            cd /
            exec \(Machine.asUser) unshare -r -n \(copy) watch links --until 'removed cleat-b' '
                ip link add cleat-a type veth peer name cleat-b; ip link set lo up; ip link del cleat-a'
            """)
        let words = run.words(.link)
        #expect(words.contains("added cleat-a"))
        #expect(words.contains("up lo"))
        #expect(words.last == "removed cleat-b" || words.last == "removed cleat-a")
    }

    @Test(
        "An event that is requested through sysfs has its properties",
        .enabled(if: Machine.hasNamespaces, "needs private network and mount namespaces"))
    func synthetic() async throws {
        let run = try await Probe.run(
            """
            $PROBE watch netlink-kernel --subject '/devices/virtual/mem/full' '
                echo "change 6b3a1b04-4d5d-4f5a-9d3c-0f6f0e9b7c11 WHO=cleat" >/sys/devices/virtual/mem/full/uevent'
            """)
        let event = try #require(run.events.first { $0.properties["SYNTH_ARG_WHO"] == "cleat" })
        #expect(event.action == "change")
        #expect(event.properties["DEVNAME"] == "/dev/full")
        #expect(event.properties["SUBSYSTEM"] == "mem")
        let device = try #require(run.present.first { $0["devpath"]?.stringValue == "/devices/virtual/mem/full" })
        #expect(device["node"]?.stringValue == "/dev/full")
        #expect(device["name"]?.stringValue == "full")
        #expect(device["properties"]?.objectValue?["MINOR"]?.stringValue == "7")
    }

    @Test(
        "A loop device that gets a file is reported",
        .enabled(if: Machine.hasLoopDevices, "needs loop devices, the losetup(8) of util-linux and private namespaces"))
    func loopDevice() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(String(repeating: "x", count: 1 << 20), to: "disk")
        let run = try await Probe.run(
            """
            $PROBE watch netlink-kernel --subject '/devices/virtual/block/loop*' '
                losetup --find --show \(directory.appending("disk")) >\(directory.appending("node"))
                losetup --detach $(cat \(directory.appending("node")))'
            """)
        let node = try directory.read("node").prefix { $0 != "\n" }
        let event = try #require(run.events.first { $0.properties["DEVNAME"] == String(node) })
        #expect(event.properties["SUBSYSTEM"] == "block")
        #expect(event.properties["DEVTYPE"] == "disk")
    }

    @Test(
        "A forged uevent of another privileged process is dropped and counted",
        .enabled(if: Machine.hasNamespaces, "needs private network and mount namespaces"))
    func forged() async throws {
        let run = try await Probe.run(
            """
            $PROBE watch netlink-kernel --subject '/devices/virtual/mem/null' '
                $PROBE forge kernel; $PROBE forge udevd; $PROBE forge kernel'
            """)
        #expect(!run.events.contains { $0.properties["FORGED"] != nil })
        #expect(run.number("forged") == 2)
        #expect(run.number("received") > 0)
    }

    @Test(
        "After an overrun the state is right, and what was reported adds up to it",
        .enabled(if: Machine.hasVeth, "needs private namespaces, and the ip(8) of iproute2 to make veth pairs in them"))
    func overrun() async throws {
        let run = try await Probe.run(
            """
            ip link add cleat-gone type veth peer name cleat-left
            $PROBE watch netlink-kernel --subject '*cleat-*' --buffer 2048 --stall '
                ip link del cleat-gone
                for i in 0 1 2 3 4 5 6 7 8 9; do
                    ip link add cleat-a$i type veth peer name cleat-b$i
                    ip addr add 192.0.2.$i/32 dev cleat-a$i
                    ip link set cleat-a$i up
                done
                ip link set cleat-b9 name cleat-z9
                for i in 0 1 2; do ip link del cleat-a$i; done'
            """)
        #expect(run.number("overruns") > 0 && run.number("resyncs") > 0)
        #expect(run.number("link_overruns") > 0 && run.number("link_resyncs") > 0)
        #expect(run.events.contains { $0.properties["CLEAT_RESYNC"] == "1" })

        var devices = Set(run.present.compactMap { $0["devpath"]?.stringValue })
        var links = Set(run.present.compactMap { $0["mtu"] == nil ? nil : $0["name"]?.stringValue })
        for event in run.events {
            switch (event.source, event.action) {
            case (.device, "add"): devices.insert(event.subject)
            case (.device, "remove"): devices.remove(event.subject)
            case (.device, "move"):
                devices.remove(event.properties["DEVPATH_OLD"] ?? "")
                devices.insert(event.subject)
            case (.link, "added"): links.insert(event.subject)
            case (.link, "removed"): links.remove(event.subject)
            case (.link, "renamed"):
                links.remove(event.properties["OLD_NAME"] ?? "")
                links.insert(event.subject)
            default: continue
            }
        }
        let expected = Set((3...9).flatMap { ["cleat-a\($0)", $0 == 9 ? "cleat-z9" : "cleat-b\($0)"] })
        #expect(links == expected.union(["lo"]))
        let names = devices.filter { !$0.contains("/queues/") }.map { $0.dropFirst("/devices/virtual/net/".count) }
        #expect(Set(names.map { String($0) }) == expected)
    }

    @Test(
        "No event of a burst is lost, read as they arrive or only afterwards",
        .enabled(if: Machine.hasNamespaces, "needs private network and mount namespaces"), arguments: ["", "--stall"])
    func burst(_ option: String) async throws {
        let count = TestMachine.rounds(5_000, briefly: 1_000)
        // Events of a network device stay in their namespace.
        let run = try await Probe.run(
            """
            $PROBE watch netlink-kernel --subject '/devices/virtual/net/lo' \(option) '
                i=0
                while [ $i -lt \(count) ]; do
                    echo change >/sys/devices/virtual/net/lo/uevent
                    i=$((i + 1))
                done'
            """)
        #expect(run.number("overruns") == 0)
        let numbers = run.events.compactMap { $0.properties["SEQNUM"].flatMap { Int($0) } }
        #expect(numbers.count == count)
        #expect(numbers == numbers.sorted())
    }

    @Test(
        "Changes while no service ran are reported as restored, and no others",
        .enabled(if: Machine.hasVeth, "needs private namespaces, and the ip(8) of iproute2 to make veth pairs in them"))
    func restored() async throws {
        let directory = try TemporaryDirectory()
        let state = directory.appending("state")
        let run = try await Probe.run(
            """
            ip link add cleat-a type veth peer name cleat-b
            ip link add cleat-c type veth peer name cleat-d
            $PROBE watch netlink-kernel --subject '*cleat-*' --state \(state) true
            ip link del cleat-c
            ip link set cleat-a name cleat-z
            ip link add cleat-n type veth peer name cleat-m
            $PROBE watch netlink-kernel --subject '*cleat-*' --state \(state) true
            $PROBE watch netlink-kernel --subject '*cleat-*' --state \(state) true
            """)
        #expect(run.events.filter { !$0.restored }.isEmpty)
        #expect(
            Set(run.words(.link)) == [
                "removed cleat-c", "removed cleat-d", "renamed cleat-z", "added cleat-n", "added cleat-m",
            ])
        let net = "/devices/virtual/net/cleat-"
        #expect(
            Set(run.words(.device)) == [
                "remove \(net)a", "remove \(net)c", "remove \(net)d", "add \(net)m", "add \(net)n", "add \(net)z",
            ])
        #expect(run.events.count == 11)
    }

    @Test(
        "Behind a private udevd, its group and libudev report the same events, and drop a stranger's",
        .enabled(if: Machine.hasUdevd, "needs systemd-udevd, setpriv and private namespaces"),
        arguments: [DeviceBackend.udevdGroup] + (Libudev.opener == nil ? [] : [.libudev]))
    func udevd(_ backend: DeviceBackend) async throws {
        // A udevd on the shared /dev would change the machine's nodes: it gets a /dev, a /run and rules of its own.
        let run = try await Probe.run(
            """
            mount --make-rprivate /
            dev=$(mktemp -d)
            mount -t tmpfs none $dev
            for node in null zero full random urandom; do
                touch $dev/$node
                mount --bind /dev/$node $dev/$node
            done
            mount --move $dev /dev
            rmdir $dev
            mount -t tmpfs none /run
            mount -t tmpfs none /usr/lib/udev/rules.d
            test ! -d /etc/udev/rules.d || mount -t tmpfs none /etc/udev/rules.d
            echo 'SUBSYSTEM=="mem", KERNEL=="full", ENV{CLEAT_TEST}="yes", SYMLINK+="cleat-full"' \\
                >/usr/lib/udev/rules.d/10-cleat.rules
            mkdir /run/udev
            /lib/systemd/systemd-udevd >/run/log 2>&1 &
            udevd=$!
            trap 'kill $udevd; wait $udevd || true' EXIT
            n=0
            until udevadm control --ping --timeout=10 2>/dev/null; do n=$((n + 1)); test $n -lt 100; done
            $PROBE watch \(backend.rawValue) '
                ip link add cleat-a type veth peer name cleat-b
                udevadm settle
                ip link set cleat-a name cleat-x
                udevadm settle
                setpriv --reuid 65534 --clear-groups --inh-caps +net_admin --ambient-caps +net_admin $PROBE forge udevd
                $PROBE forge kernel
                echo change >/sys/devices/virtual/mem/full/uevent
                ip link del cleat-x
                udevadm settle'
            """)
        #expect(run.summary["backend"]?.stringValue == backend.description)
        let net = "/devices/virtual/net/cleat-"
        let words = run.words(.device)
        for word in ["add \(net)a", "add \(net)b", "move \(net)x", "remove \(net)x", "remove \(net)b"] {
            #expect(words.contains(word), "\(word) in \(words)")
        }
        let full = try #require(run.events.last { $0.subject == "/devices/virtual/mem/full" })
        #expect(full.action == "change")
        #expect(full.properties["CLEAT_TEST"] == "yes")
        #expect(full.properties["DEVNAME"] == "/dev/full")
        #expect(full.properties["DEVLINKS"] == "/dev/cleat-full")
        #expect(!run.events.contains { $0.properties["FORGED"] != nil })
        if backend == .udevdGroup { #expect(run.number("forged") == 1) }
        // Not one device that udevd has yet to work on is taken for ready.
        #expect(!run.present.contains { $0["devpath"]?.stringValue == "/devices/virtual/mem/null" })
    }
}

@Suite("Observers on this machine", .tags(.board))
struct ObserverTests {
    @Test("The first scan finds the devices of sysfs; pages hold each device once")
    func pages() async throws {
        try await withLoop { loop in
            let bus = EventBus(bootID: "boot")
            let sysfs = try Sysfs()
            let source = try DeviceBackend.kernelGroup.open(on: loop, sysfs: sysfs, libudev: nil)
            let observer = DeviceObserver(loop: loop, bus: bus, source: source, sysfs: sysfs)
            let task = loop.task { try await observer.run() }
            await observer.waitUntilReady()
            var paths: [String] = []
            var next: String?
            repeat {
                let page = await observer.devices(after: next, limit: 7)
                #expect(page.devices.count <= 7)
                paths += page.devices.map(\.devpath)
                next = page.next
            } while next != nil
            #expect(Set(paths).count == paths.count)
            #expect(paths.contains("/devices/virtual/mem/null"))
            let memory = await observer.devices(subsystem: "mem", limit: 1_000)
            #expect(memory.next == nil && memory.devices.allSatisfy { $0.subsystem == "mem" })
            #expect(memory.devices.contains { $0.node == "/dev/null" && $0.properties["MAJOR"] == "1" })
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("Links are there with their addresses, and the observer ends when it is cancelled")
    func links() async throws {
        try await withLoop { loop in
            let observer = try LinkObserver(loop: loop, bus: EventBus(bootID: "boot"))
            let task = loop.task { try await observer.run() }
            await observer.waitUntilReady()
            let loopback = try #require(await observer.links().first { $0.name == "lo" })
            #expect(loopback.type == "loopback")
            #expect(loopback.index == 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(
        "The backend is selected by the running programs",
        arguments: [
            (true, true, DeviceBackend.libudev), (true, false, .udevdGroup), (false, true, .kernelGroup),
            (false, false, .kernelGroup),
        ])
    func choice(_ udevdRuns: Bool, _ hasLibudev: Bool, _ expected: DeviceBackend) {
        #expect(DeviceBackend.automatic(udevdRuns: udevdRuns, hasLibudev: hasLibudev) == expected)
        #expect(Set(DeviceBackend.allCases.map(\.description)).count == 3)
    }

    @Test("Names from outside never leave sysfs")
    func sysfsNames() throws {
        let sysfs = try Sysfs()
        #expect(!sysfs.lists("../../etc"))
        #expect(!sysfs.lists(""))
        #expect(sysfs.lists("mem"))
        #expect(sysfs.device(at: "/../etc") == nil)
        #expect(sysfs.device(at: "/devices/virtual/mem/null")?.node == "/dev/null")
        #expect(sysfs.properties(of: DeviceRecord(devpath: "/../../etc/passwd", subsystem: "x")).isEmpty)
        #expect(throws: (any Error).self) { try Sysfs(path: "/nonexistent") }
    }
}
