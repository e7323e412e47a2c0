import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The capabilities of the machine for tests.
enum Machine {
    /// True if private network and mount namespaces can be made.
    static let hasNamespaces = succeeds("unshare --net --mount --uts sh -c 'mount -t sysfs none /sys && ip link'")
    /// True if pairs of network devices can be made in them.
    static let hasVeth =
        hasNamespaces
        && succeeds("unshare --net sh -ec 'ip link add cleat-a type veth peer name cleat-b; ip link del cleat-b'")
    /// True if an ordinary user can make its own network namespace.
    static let hasUserNamespaces = succeeds(asUser + " unshare -r -n ip link")
    /// True if loop devices can be attached.
    static let hasLoopDevices = hasNamespaces && succeeds("test -e /dev/loop-control && losetup --find")
    /// True if a udevd can be started.
    static let hasUdevd = hasNamespaces && succeeds("test -x /lib/systemd/systemd-udevd && which udevadm setpriv")
    /// The words that run a command as an ordinary user.
    static let asUser = getuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""

    private static func succeeds(_ command: String) -> Bool {
        unsafe system("(\(command)) >/dev/null 2>&1") == 0
    }
}

/// One run of the `observer-probe` in namespaces of its own.
struct Probe {
    /// The devices and links before the script.
    var present: [JSONObject] = []
    /// The published events.
    var events: [Event] = []
    /// The counters of the probe.
    var summary: JSONObject = [:]

    /// The words of the events of one source: action and subject.
    func words(_ source: EventSource) -> [String] {
        events.filter { $0.source == source }.map { $0.action + " " + $0.subject }
    }

    func number(_ key: String) -> Int { summary[key]?.integerValue.map { Int($0) } ?? -1 }

    /// The path of the probe.
    static let program = TestPlaces.program("observer-probe").string

    /// Runs a shell script in private network, mount and UTS namespaces, with `$PROBE` and a sysfs of their own, and
    /// reads the lines that the probes in it print.
    static func run(namespaces: String = "unshare --net --mount --uts", _ script: String) async throws -> Probe {
        let preparation = namespaces.contains("--mount") ? "mount -t sysfs none /sys\n" : ""
        return try await withLoop { loop in
            var command = ChildCommand(
                "/bin/sh", ["-ec", "exec \(namespaces) sh -ec \"$SCRIPT\""])
            command.environment = [
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PROBE": program, "SCRIPT": preparation + script,
            ]
            command.outputLimit = 32 << 20
            command.timeout = .seconds(100).onThisMachine
            let result = try await loop.run(command)
            try #require(result.isSuccess, "\(result.status): \(result.outputText.suffix(2_000))")
            return try Probe(output: result.outputText)
        }
    }

    private init(output: String) throws {
        for line in output.split(separator: "\n") where line.hasPrefix("{") {
            guard let object = try JSONReader.read(String(line)).objectValue else { continue }
            if let event = object["event"] { events.append(try Event(wire: event.objectValue ?? [:])) }
            if let present = object["present"]?.objectValue { self.present.append(present) }
            if let summary = object["summary"]?.objectValue { self.summary = summary }
            if let lost = object["lost"] { Issue.record("the probe lost \(lost) events") }
        }
    }
}
