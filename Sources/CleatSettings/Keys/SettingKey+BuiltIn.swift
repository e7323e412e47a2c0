extension SettingKey<Hostname> {
    /// The host name of the board.
    public static var hostname: Self { .init("system/hostname", default: "board") }
}

extension SettingKey<String> {
    /// The name of the local time zone in the tz database.
    public static var timezone: Self { .init("system/timezone", default: "UTC") }
}

extension SettingKey<String?> {
    /// The country whose rules the radios follow (ISO 3166-1); nil for the system's own.
    public static var wifiCountry: Self { .init("network/wifi/country", default: nil) }
}

extension SettingKey<Bool> {
    /// True if the clock is synchronised with the NTP servers.
    public static var ntpEnabled: Self { .init("time/ntp/enabled", default: true) }
}

extension SettingKey<[String]> {
    /// The NTP servers to use.
    public static var ntpServers: Self { .init("time/ntp/servers", default: []) }
}

extension SettingKey<[String: NetworkInterfaceSettings]> {
    /// The settings of all network interfaces, by name.
    public static var networkInterfaces: Self { .init("network/interfaces", default: [:]) }
}

extension SettingKey<NetworkInterfaceSettings> {
    /// Returns the key of one network interface's settings.
    ///
    /// - Parameter name: the kernel's name of the interface: `eth0`.
    /// - Returns: a key for all its settings.
    /// - Throws: the reason why the name cannot be part of a path.
    public static func networkInterface(_ name: String) throws(SettingPathError) -> Self {
        .init(path: try SettingPath(segments: ["network", "interfaces", name]), default: NetworkInterfaceSettings())
    }
}

extension SettingKey<Int> {
    /// The number of generations of settings that are kept.
    public static var historyGenerations: Self { .init("agent/history/generations", default: 1000) }
}

extension SettingKey<ByteCount> {
    /// The most space that the history may use.
    public static var historyBytes: Self { .init("agent/history/bytes", default: ByteCount(16 << 20)) }
}

extension SettingKey<LogLevel> {
    /// The lowest severity that the service logs.
    public static var logLevel: Self { .init("agent/log/level", default: .info) }
}

/// The severity that a message must have to be logged.
public enum LogLevel: String, Hashable, Sendable, Codable, CaseIterable {
    /// All messages.
    case trace
    /// Messages that help to find a fault.
    case debug
    /// Normal operation.
    case info
    /// Normal but unusual events.
    case notice
    /// Conditions that may need attention.
    case warning
    /// Failures.
    case error
    /// Failures after which the service cannot continue.
    case critical
}
