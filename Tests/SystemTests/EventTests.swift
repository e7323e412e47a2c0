import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite(
    "Real events", .tags(.board), .serialized,
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct EventTests {
    private static let kernelSource = "{ deviceSource: \"kernel\" }\n"

    @Test(
        "A veth pair is made, switched on, addressed, renamed, switched off and removed",
        .enabled(if: Machine.hasVeth, Machine.vethReason))
    func veth() async throws {
        try await Board.with { board in
            try board.directory.write(Self.kernelSource, to: "etc/cleatd.json5")
            let space = try await board.makeNamespace()
            let agent = try await board.start(space.options)
            #expect(try await agent.status().observer("devices")?.summary?.isEmpty == false)
            let collector = try await EventCollector(agent, .init(subject: "*cleat-*"))
            try await space.script(
                """
                ip link add cleat-a type veth peer name cleat-b
                ip link set cleat-b up
                ip link set cleat-a up
                ip addr add 192.0.2.1/24 dev cleat-a
                """)
            let links = ["added cleat-a", "up cleat-a", "address-added cleat-a"]
            try await board.eventually("the link was up") { collector.told(links, .link) }
            let link = try #require(
                await agent.call(EventsInterface.Links.self, .init()).links.first { $0.name == "cleat-a" })
            #expect(link.kind == "veth" && link.up && link.carrier && link.state == "up")
            #expect(link.addresses.contains("192.0.2.1/24"))

            try await space.script(
                """
                ip addr del 192.0.2.1/24 dev cleat-a
                ip link set cleat-a down
                ip link set cleat-a name cleat-c
                ip link del cleat-b
                """)
            let rest = ["address-removed cleat-a", "down cleat-a", "renamed cleat-c", "removed cleat-c"]
            try await board.eventually("the link was gone") { collector.told(links + rest, .link) }
            let net = "/devices/virtual/net/cleat-"
            let devices = ["add \(net)a", "move \(net)c", "remove \(net)c"]
            try await board.eventually("the device was gone") { collector.told(devices, .device) }
            // Numbers only grow, and every event says when it was.
            let events = collector.events
            #expect(zip(events, events.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
            #expect(events.allSatisfy { !$0.restored && $0.time.hasSuffix("Z") && $0.bootTime > 0 })
            #expect(collector.lost == 0)
            #expect(try await agent.call(EventsInterface.Links.self, .init()).links.map(\.name) == ["lo"])
            collector.close()
        }
    }

    @Test("A udevd that has ended and left its socket is reported, and the kernel's events are used")
    func endedUdevd() async throws {
        try await Board.with { board in
            // A second name of the socket's file outlives the listener, which removes the first one.
            try board.directory.makeDirectory("udev")
            let listener = try UnixListener(loop: board.loop, path: board.directory.appending("udev/first"))
            _ = try await board.script("ln $D/udev/first $D/udev/control")
            listener.close()
            let space = try await board.makeNamespace(
                "mount -t tmpfs none /run; mkdir /run/udev; mount --bind $D/udev /run/udev")
            let agent = try await board.start(space.options)
            let devices = try #require(try await agent.status().observer("devices"))
            #expect(devices.summary == "netlink kernel group")
            #expect(
                devices.problem?.hasPrefix("udevd has ended and left /run/udev/control: events come from the kernel")
                    == true)
            let findings = try await agent.findings()
            #expect(findings.contains { $0.subject == "events of device" && $0.message.contains("udevd has ended") })
        }
    }

    @Test(
        "Forged events of another privileged process are dropped and counted, the kernel's are reported",
        .enabled(if: Machine.hasVeth, Machine.vethReason))
    func forged() async throws {
        try await Board.with { board in
            try board.directory.write(Self.kernelSource, to: "etc/cleatd.json5")
            let space = try await board.makeNamespace()
            let agent = try await board.start(space.options)
            let collector = try await EventCollector(agent, .init(sources: ["device"]))
            #expect(try await agent.counter("devices.forged") == 0)
            try await space.script(
                """
                \(TestPlaces.program("observer-probe")) forge kernel
                \(TestPlaces.program("observer-probe")) forge kernel
                ip link add cleat-a type veth peer name cleat-b
                """)
            try await board.eventually("the kernel's own event was told") {
                collector.told(["add /devices/virtual/net/cleat-a"], .device)
            }
            #expect(!collector.events.contains { $0.properties["FORGED"] != nil })
            #expect(try await agent.counter("devices.forged") == 2)
            collector.close()
        }
    }

    @Test(
        "After a restart within one boot, what changed meanwhile is reported as restored, and only that",
        .enabled(if: Machine.hasVeth, Machine.vethReason))
    func restored() async throws {
        try await Board.with { board in
            try board.directory.write(Self.kernelSource, to: "etc/cleatd.json5")
            let space = try await board.makeNamespace("ip link add cleat-a type veth peer name cleat-b")
            let first = try await board.start(space.options)
            _ = try await first.call(EventsInterface.Links.self, .init())
            _ = try await first.call(EventsInterface.Devices.self, .init())
            try await first.stop()
            // A service that ends before its first scan does not change the saved state.
            try await board.start(space.options).stop()
            try await space.script(
                """
                ip link add cleat-n type veth peer name cleat-m
                ip link set cleat-a name cleat-z
                """)
            let second = try await board.start(space.options)
            // The first events of a start are kept: naming the instance and 0 asks for all of them.
            let instance = try await second.status().instance
            let collector = try await EventCollector(
                second, .init(subject: "*cleat-*", instance: instance, after: 0))
            let net = "/devices/virtual/net/cleat-"
            let devices: Set = ["add \(net)n", "add \(net)m", "add \(net)z", "remove \(net)a"]
            try await board.eventually(
                "all was told",
                showing: "\(collector.events.map { "\($0.source) \($0.action) \($0.subject) \($0.restored)" })"
            ) {
                Set(collector.words(.link)) == ["added cleat-n", "added cleat-m", "renamed cleat-z"]
                    && Set(collector.words(.device)) == devices
            }
            #expect(collector.events.allSatisfy { $0.restored })
            try await space.script("ip link del cleat-n")
            try await board.eventually("new events came") { collector.told(["removed cleat-n"], .link) }
            #expect(collector.events.last { $0.source == .link }?.restored == false)
            collector.close()
        }
    }

    @Test(
        "A subscriber continues at its position; one with another instance gets the present state first",
        .enabled(if: Machine.hasVeth, Machine.vethReason))
    func resume() async throws {
        try await Board.with { board in
            try board.directory.write(Self.kernelSource, to: "etc/cleatd.json5")
            let space = try await board.makeNamespace()
            let agent = try await board.start(space.options)
            let collector = try await EventCollector(agent, .init(sources: ["setting"]))
            for number in 1...5 { try await agent.set(["system/hostname": .string("h\(number)")]) }
            try await board.eventually("five events were told") { collector.events.count == 5 }
            let instance = try #require(collector.instance)
            collector.close()

            let place = collector.events[2].sequence
            let resumed = try await EventCollector(
                agent, .init(sources: ["setting"], instance: instance, after: place))
            try await board.eventually("the rest was told") { resumed.events.count == 2 }
            #expect(resumed.events == Array(collector.events.suffix(2)))
            resumed.close()

            let stranger = try await EventCollector(
                agent, .init(sources: ["link"], instance: "another", after: 7))
            try await board.eventually("the present was told") { stranger.told(["present lo"], .link) }
            try await space.script("ip link add cleat-a type veth peer name cleat-b")
            try await board.eventually("events followed") { stranger.told(["present lo", "added cleat-a"], .link) }
            stranger.close()
        }
    }

    @Test(
        "A loop device, and an event that is requested through sysfs",
        .enabled(if: Machine.hasLoopDevices, Machine.loopDevicesReason))
    func devices() async throws {
        try await Board.with { board in
            try board.directory.write(Self.kernelSource, to: "etc/cleatd.json5")
            let space = try await board.makeNamespace()
            let agent = try await board.start(space.options)
            let collector = try await EventCollector(agent, .init(sources: ["device"]))
            let loop =
                try await space.script(
                    """
                    truncate -s 1M $D/disk
                    device=$(losetup --find --show $D/disk)
                    echo ${device##*/}
                    echo change >/sys/devices/virtual/mem/null/uevent
                    losetup --detach $device
                    """
                ).lines.first ?? ""
            try await board.eventually("both were told") {
                collector.told(["change /devices/virtual/block/\(loop)"], .device)
                    && collector.told(["change /devices/virtual/mem/null"], .device)
            }
            let null = try #require(collector.events.last { $0.subject == "/devices/virtual/mem/null" })
            #expect(null.properties["SUBSYSTEM"] == "mem" && null.properties["DEVNAME"]?.hasSuffix("null") == true)
            // The list of devices is the machine's own.
            let listed = try await agent.call(EventsInterface.Devices.self, .init(subsystem: "block")).devices
            #expect(listed.contains { $0.name == loop })
            collector.close()
        }
    }
}
