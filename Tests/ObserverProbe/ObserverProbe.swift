import CleatAPI
import CleatIO
import CleatJSON
import CleatObservers
import CleatUdev
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs the observers and a script in the namespaces that it was started in, and prints the events as JSON lines: tests
/// cannot enter these namespaces themselves.
///
///     observer-probe watch kernel-netlink|netlink-udevd|libudev|links [option…] SCRIPT
///     observer-probe forge kernel|udevd
///
/// Options: `--subject GLOB` (print only these), `--until "ACTION SUBJECT"` (globs; what ends the run), `--buffer
/// BYTES`, `--stall` (read nothing while the script runs), `--state FILE` (compare with it, then save to it).
///
/// Lines have one of the keys `present` (a device or link before the script), `event`, `lost`, `summary`.
struct Options {
    var backend: DeviceBackend?
    var script = ""
    /// The receive buffer; small ones overrun.
    var receiveBuffer = NetlinkSocket.standardBuffer
    /// True if nothing is read while the script runs.
    var stalls = false
    /// The event that ends the run; without one, a uevent that the probe asks for when the script has ended.
    var last: EventFilter?
    /// The subjects that are printed.
    var subject: Glob?
    /// A saved state to compare with, and where to save one.
    var state: String?
}

@main
enum ObserverProbe {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let command = arguments.popFirst()
        do {
            switch command {
            case "watch": try watch(options(&arguments))
            case "forge": try forge(arguments.first ?? "")
            default: fail("usage: observer-probe watch BACKEND [OPTION…] SCRIPT | forge kernel|udevd")
            }
        } catch {
            fail("\(error)")
        }
    }

    static func fail(_ text: String) -> Never {
        _ = try? FileDescriptor.standardError.writeAll(Array((text + "\n").utf8))
        exit(1)
    }

    static func options(_ arguments: inout ArraySlice<String>) -> Options {
        var options = Options()
        options.backend = arguments.popFirst().flatMap { DeviceBackend(rawValue: $0) }
        while let argument = arguments.popFirst() {
            switch argument {
            case "--buffer": options.receiveBuffer = arguments.popFirst().flatMap { Int($0) } ?? 0
            case "--stall": options.stalls = true
            case "--subject": options.subject = arguments.popFirst().flatMap { Glob($0) }
            case "--state": options.state = arguments.popFirst()
            case "--until":
                let words = (arguments.popFirst() ?? "").split(separator: " ").map(String.init)
                options.last = EventFilter(
                    action: words.first.flatMap { Glob($0) }, subject: words.last.flatMap { Glob($0) })
            default: options.script = argument
            }
        }
        return options
    }

    static func print(_ key: String, _ value: JSONValue) {
        var line: [UInt8] = []
        JSONWriter.write(JSONValue.object([key: value]), into: &line)
        _ = try? FileDescriptor.standardOutput.writeAll(line + [UInt8(ascii: "\n")])
    }

    // MARK: Forging

    static func forge(_ kind: String) throws {
        let loop = try EventLoop()
        let socket = try NetlinkSocket(.uevent, groups: 0, capacity: 4_096, loop: loop)
        let entries: [String] = [
            "ACTION=add", "DEVPATH=/devices/virtual/mem/null", "SUBSYSTEM=mem", "SEQNUM=1", "FORGED=1",
        ]
        var block: [UInt8] = []
        for entry in entries { block += Array(entry.utf8) + [0] }
        if kind == "kernel" {
            try socket.multicast(Array("add@/devices/virtual/mem/null".utf8) + [0] + block, groups: 1)
            return
        }
        var header = Array("libudev\0".utf8) + [0xfe, 0xed, 0xca, 0xfe]
        for number in [40, 40, UInt32(block.count)] {
            unsafe withUnsafeBytes(of: number) { unsafe header.append(contentsOf: $0) }
        }
        try socket.multicast(header + [UInt8](repeating: 0, count: 16) + block, groups: 2)
    }

    // MARK: Watching

    static func watch(_ options: Options) throws {
        let loop = try EventLoop()
        try loop.block {
            let bus = EventBus(bootID: BootID.current().text)
            let links = try LinkObserver(loop: loop, bus: bus, receiveBuffer: options.receiveBuffer)
            let sysfs = try Sysfs()
            let devices = try options.backend.map { backend in
                let source = try backend.open(
                    on: loop, sysfs: sysfs, receiveBuffer: options.receiveBuffer, libudev: Libudev.opener)
                return DeviceObserver(loop: loop, bus: bus, source: source, sysfs: sysfs)
            }
            let running: [Task<Void, any Error>] = [
                loop.task { try await links.run() },
                loop.task { try await devices?.run() },
            ]
            await links.waitUntilReady()
            await devices?.waitUntilReady()
            let subscription = bus.subscribe(buffer: 100_000)
            try await tellPresent(links, devices, options)
            if let path = options.state { await compare(path, links, devices) }
            let script: Task<Bool, any Error>
            if options.stalls {
                guard unsafe system(options.script) == 0 else { throw Failure(text: "the script failed") }
                script = loop.task { true }
            } else {
                script = loop.task { try await run(options.script, on: loop) }
            }
            try await loop.withDeadline(.seconds(60)) {
                try await follow(subscription, script, devices == nil, options)
                guard options.stalls else { return }
                while try await !isConsistent(links, devices, loop) { try await loop.sleep(for: .milliseconds(20)) }
                if devices != nil { try await untilMarker(subscription, options) }
            }
            if let path = options.state { try await save(path, links, devices) }
            await summarise(links, devices, options)
            for task in running { task.cancel() }
            for task in running { _ = await task.result }
        }
    }

    static func run(_ script: String, on loop: EventLoop) async throws -> Bool {
        var command = ChildCommand("/bin/sh", ["-ec", script])
        command.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PROBE": CommandLine.arguments[0]]
        command.timeout = .seconds(30)
        let result = try await loop.run(command)
        guard result.isSuccess else { throw Failure(text: "the script \(result.status): \(result.outputText)") }
        return true
    }

    /// Prints what comes until the event that ends the run.
    static func follow(
        _ subscription: EventSubscription, _ script: Task<Bool, any Error>, _ linksOnly: Bool, _ options: Options
    ) async throws {
        if let last = options.last {
            while let delivery = await subscription.next() {
                try tell(delivery, options)
                guard case .event(let event) = delivery else { continue }
                if last.matches(source: event.source, action: event.action, subject: event.subject) { break }
            }
            _ = try await script.value
        } else {
            _ = try await script.value
            if !linksOnly, !options.stalls { try await untilMarker(subscription, options) }
        }
        while let delivery = subscription.nextNow() { try tell(delivery, options) }
    }

    /// Has the kernel send a uevent with an id of its own, and prints what comes before.
    static func untilMarker(_ subscription: EventSubscription, _ options: Options) async throws {
        var random = SystemRandomNumberGenerator()
        let digits = (0..<3).map { _ in String(random.next() as UInt64 | 1 << 63, radix: 16) }.joined()
        let parts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)].map {
            digits.utf8.dropFirst($0.0).prefix($0.1 - $0.0)
        }
        let marker = parts.map { String(decoding: Array($0), as: UTF8.self) }.joined(separator: "-")
        let file = try FileDescriptor.open(FilePath("/sys/devices/virtual/mem/zero/uevent"), .writeOnly)
        _ = try file.closeAfter { try file.writeAll("change \(marker)".utf8) }
        while let delivery = await subscription.next() {
            if case .event(let event) = delivery, event.properties["SYNTH_UUID"] == marker { return }
            try tell(delivery, options)
        }
    }

    static func tell(_ delivery: EventDelivery, _ options: Options) throws {
        switch delivery {
        case .event(let event):
            if let glob = options.subject, !glob.matches(event.subject) { return }
            print("event", JSONValue.object(event.event(bootID: BootID.current().text).wire))
        case .lost(let count): print("lost", .integer(Int64(count)))
        }
    }

    static func tellPresent(_ links: LinkObserver, _ devices: DeviceObserver?, _ options: Options) async throws {
        for link in await links.links() { print("present", JSONValue.object(link.wire)) }
        for device in await devices?.records ?? [] {
            if let glob = options.subject, !glob.matches(device.devpath) { continue }
            guard let device = await devices?.device(at: device.devpath) else { continue }
            print("present", JSONValue.object(device.wire))
        }
    }

    /// Returns true if a new scan gives the known state.
    static func isConsistent(_ links: LinkObserver, _ devices: DeviceObserver?, _ loop: EventLoop) async throws -> Bool
    {
        let other = EventBus(bootID: "")
        let fresh = try LinkObserver(loop: loop, bus: other)
        let task = loop.task { try await fresh.run() }
        await fresh.waitUntilReady()
        task.cancel()
        _ = await task.result
        guard await fresh.table == links.table else { return false }
        guard let devices else { return true }
        var walk = SysfsWalk(try Sysfs(), onlyInitialized: devices.backend != .kernelGroup)
        var found: [DeviceRecord] = []
        while let slice = walk.next(64) { found += slice }
        return await DeviceTable(found).records == devices.records
    }

    static func compare(_ path: String, _ links: LinkObserver, _ devices: DeviceObserver?) async {
        guard let devices, let tree = try? FileTree("/"), let bytes = tree.read(path, limit: 1 << 20) else { return }
        do {
            let state = try ObserverState(decoding: bytes)
            try await state.publishChanges(bootID: BootID.current().text, to: [devices, links])
        } catch {
            fail("\(error)")
        }
    }

    static func save(_ path: String, _ links: LinkObserver, _ devices: DeviceObserver?) async throws {
        guard let devices,
            let state = await ObserverState.current(bootID: BootID.current().text, of: [devices, links])
        else { return }
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        _ = try file.closeAfter { try file.writeAll(state.encoded()) }
    }

    static func summarise(_ links: LinkObserver, _ devices: DeviceObserver?, _ options: Options) async {
        let route = await links.messageCounters
        var summary: JSONObject = [
            "link_overruns": .integer(Int64(route.overruns)), "link_resyncs": .integer(Int64(route.resyncs)),
            "link_forged": .integer(Int64(route.forged)),
        ]
        if let devices {
            let counters = await devices.messageCounters
            summary["backend"] = .string(devices.backend.description)
            summary["received"] = .integer(Int64(counters.received))
            summary["forged"] = .integer(Int64(counters.forged))
            summary["malformed"] = .integer(Int64(counters.malformed))
            summary["overruns"] = .integer(Int64(counters.overruns))
            summary["resyncs"] = .integer(Int64(await devices.resyncs))
            summary["devices"] = .integer(Int64(await devices.count))
        }
        summary["links"] = .array(await links.links().map { .string($0.name) })
        print("summary", .object(summary))
    }
}

/// Says what went wrong.
struct Failure: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
}
