import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage

/// A root directory of a test's own with all built-in adapters, and the kernel of the thread's namespaces where asked.
struct TestBoard {
    /// The kernel's values that adapters may change here.
    static let attributes = [
        "/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv4/conf/lo/rp_filter",
        "/proc/sys/net/ipv4/ip_local_port_range",
        "/sys/class/net/lo/mtu", "/sys/class/net/lo/tx_queue_len", "/sys/class/net/lo/ifalias",
    ]

    let directory: TemporaryDirectory
    let calls: FaultyCalls
    let isRunning: Bool
    var schema = Schema.builtIn
    var set: AdapterSet
    var system: SystemResources

    /// Makes a board.
    ///
    /// - Parameters:
    ///   - isRunning: true if kernel state is changed.
    ///   - hasTreeKernel: true if the kernel's values are files below the root directory.
    ///   - prepare: writes the files that the adapters find, below the root directory.
    /// - Throws: an error of `prepare`.
    init(
        isRunning: Bool = false, hasTreeKernel: Bool = false,
        prepare: (String) throws -> Void = { _ in }
    ) throws {
        directory = try TemporaryDirectory()
        self.isRunning = isRunning
        let root = directory.appending("root")
        calls = FaultyCalls(hasTreeKernel ? TreeKernel(root: root) : SystemKernelCalls())
        for path in ["etc", "usr/share/zoneinfo/Europe", "usr/lib/systemd", "run"] {
            try makeDirectories(root + "/" + path)
        }
        for zone in ["UTC", "Europe/Berlin", "Europe/Paris"] {
            try directory.write("zone \(zone)", to: "root/usr/share/zoneinfo/" + zone)
        }
        try prepare(root)
        let looking = try SystemResources(
            root: FilePath(root), isRunning: isRunning, fileCalls: calls, kernelCalls: calls)
        set = AdapterSet.builtIn(SystemFacts(of: looking))
        system = looking.declaring(set.files)
    }

    var root: String { directory.appending("root") }

    func settings(_ values: [(String, JSONValue)]) throws -> LayeredSettings {
        LayeredSettings(
            schema: schema, committed: SettingsTree(try values.map { (try SettingPath($0.0), $0.1) }))
    }

    /// Everything that may have changed, files and kernel.
    func state() throws -> [String: String] {
        var found = try snapshot(root)
        guard isRunning else { return found }
        let kernel = SystemKernelCalls()
        found["host name"] = String(decoding: try kernel.hostName(), as: UTF8.self)
        for path in Self.attributes {
            found[path] = (try? kernel.read(attribute: path)).map { String(decoding: $0, as: UTF8.self) }
        }
        return found
    }
}

/// A change that was captured and applied, as a transaction has it.
struct AppliedChange {
    let change: SystemChange
    let mementos: [Memento]
    let results: [AdapterOutcome]

    /// Captures and applies, with mementos that have been in a store.
    init(
        _ board: TestBoard, from before: LayeredSettings?, to after: LayeredSettings,
        origins: inout [Resource: Memento]
    ) throws {
        change = board.set.change(from: before, to: after)
        mementos = try board.set.applier.capture(change, on: board.system).map { try Memento(encoded: $0.encoded) }
        for memento in mementos where origins[memento.resource] == nil { origins[memento.resource] = memento }
        results = board.set.applier.apply(change, on: board.system, origins: origins)
    }

    var isSuccess: Bool { results.allSatisfy(\.isSuccess) }
}
