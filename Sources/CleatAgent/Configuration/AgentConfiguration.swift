internal import CleatIO
import CleatJSON
package import CleatSandbox
package import CleatSettings
package import SystemPackage

/// The service's own configuration, as it is written in `cleatd.json5`.
package struct AgentConfiguration: Sendable, Equatable {
    /// The source of device events.
    package enum DeviceSource: String, Sendable, CaseIterable {
        /// The best source that the build and the machine have.
        case automatic = "auto"
        /// libudev.
        case libudev
        /// netlink, on the multicast group that udevd sends to.
        case udevd
        /// netlink, on the multicast group that the kernel sends to.
        case kernel
    }

    /// The least level that is logged; nil leaves it to the setting `agent/log/level`.
    package var logLevel: LogLevel?
    /// The source of device events; a change applies from the next start on.
    package var deviceSource: DeviceSource = .automatic
    /// The maximum number of hooks that run at a time.
    package var hookConcurrency = 4
    /// The time for which a client may leave its replies unread before it is disconnected.
    package var stallTimeout: Duration = .seconds(30)
    /// The file systems that the store waits for at a start.
    package var requiredMounts: RequiredMounts = .ofTable
    /// The file with factory data, absolute; nil for `factory.json5` in the state directory.
    package var factory: FilePath?
    /// The rules for files in the inbox that are settings to be applied.
    package var imports: [ImportRule] = []
    /// The quota of each file area.
    package var quotas = Dictionary(uniqueKeysWithValues: Area.allCases.map { ($0, standardQuota($0)) })

    /// Returns the default quota of an area: a board's flash is small, and updates go through the library.
    package static func standardQuota(_ area: Area) -> Quota {
        Quota(bytes: area == .library ? 1 << 30 : 256 << 20, files: 10_000)
    }

    /// Creates the configuration that applies if there is no file.
    package init() {}

    /// The maximum size of the file in bytes.
    package static let sizeLimit = 64 * 1_024

    /// Parses the text of a configuration file, in JSON5.
    ///
    /// - Throws: ``ConfigurationError`` with line and column, for text that is not valid JSON5, an unknown member, a
    ///   wrong type and a value out of range.
    package init(text: [UInt8]) throws(ConfigurationError) {
        let value: JSONValue
        let locations: JSONLocations
        do {
            (value, locations) = try JSONReader.readWithLocations(
                text, dialect: .json5, limits: JSONLimits(depth: 8, size: Self.sizeLimit))
        } catch {
            throw ConfigurationError(position: error.position, message: error.message)
        }
        try self.init(ConfigurationReader(locations: locations), value)
    }

    private init(_ reader: ConfigurationReader, _ value: JSONValue) throws(ConfigurationError) {
        let top = try reader.members(
            of: value, at: [],
            known: ["logLevel", "deviceSource", "hooks", "connections", "files", "factory", "imports", "state"])
        if let level = top["logLevel"] {
            logLevel = try reader.choice(level, at: ["logLevel"], of: LogLevel.self)
        }
        if let source = top["deviceSource"] {
            deviceSource = try reader.choice(source, at: ["deviceSource"], of: DeviceSource.self)
        }
        if let hooks = top["hooks"] {
            let members = try reader.members(of: hooks, at: ["hooks"], known: ["concurrency"])
            if let concurrency = members["concurrency"] {
                hookConcurrency = try reader.integer(concurrency, at: ["hooks", "concurrency"], in: 1...64)
            }
        }
        if let connections = top["connections"] {
            let members = try reader.members(of: connections, at: ["connections"], known: ["stallTimeout"])
            if let timeout = members["stallTimeout"] {
                let milliseconds = try reader.milliseconds(
                    timeout, at: ["connections", "stallTimeout"], in: 100...3_600_000)
                stallTimeout = .milliseconds(milliseconds)
            }
        }
        if let files = top["files"] { try readQuotas(reader, files) }
        if let imports = top["imports"] { self.imports = try Self.readImports(reader, imports) }
        if let factory = top["factory"] { self.factory = try readPath(reader, factory, at: ["factory"], "file") }
        if let state = top["state"] {
            let members = try reader.members(of: state, at: ["state"], known: ["mountRequired"])
            if let mount = members["mountRequired"] { requiredMounts = try readMounts(reader, mount) }
        }
    }
}

extension AgentConfiguration {
    private func readPath(
        _ reader: ConfigurationReader, _ value: JSONValue, at pointer: [String], _ kind: String
    ) throws(ConfigurationError) -> FilePath {
        let path = FilePath(try reader.text(value, at: pointer))
        guard path.isAbsolute, path.lexicallyNormalized() == path, path.components.count > 0 else {
            throw reader.refusal(of: value, at: pointer, "the absolute path of a \(kind)")
        }
        return path
    }

    private func readMounts(
        _ reader: ConfigurationReader, _ value: JSONValue
    ) throws(ConfigurationError) -> RequiredMounts {
        switch value.boolValue {
        case true?: return .any
        case false?: return .none
        case nil:
            let pointer = ["state", "mountRequired"]
            guard value.stringValue != nil else {
                throw reader.refusal(of: value, at: pointer, "true, false or the absolute path of a directory")
            }
            return .at(try readPath(reader, value, at: pointer, "directory"))
        }
    }

    private mutating func readQuotas(_ reader: ConfigurationReader, _ files: JSONValue) throws(ConfigurationError) {
        let members = try reader.members(of: files, at: ["files"], known: Area.allCases.map(\.rawValue).sortedByBytes())
        for area in Area.allCases {
            guard let value = members[area.rawValue] else { continue }
            let pointer = ["files", area.rawValue]
            let limits = try reader.members(of: value, at: pointer, known: ["bytes", "files"])
            var quota = Self.standardQuota(area)
            if let bytes = limits["bytes"] {
                quota.bytes = try reader.bytes(bytes, at: pointer + ["bytes"], in: 0...1 << 50)
            }
            if let count = limits["files"] {
                quota.files = Int64(try reader.integer(count, at: pointer + ["files"], in: 0...10_000_000))
            }
            quotas[area] = quota
        }
    }
}
