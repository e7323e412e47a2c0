extension SettingKey<Hostname> {
    /// The name by which the board calls itself.
    public static var hostname: Self { .init("system/hostname", default: "board") }
}

extension SettingKey<String> {
    /// The name of the tz database by which local time is shown.
    public static var timezone: Self { .init("system/timezone", default: "UTC") }
}

extension SettingKey<Bool> {
    /// Whether the clock follows the time servers.
    public static var ntpEnabled: Self { .init("time/ntp/enabled", default: true) }
}

extension SettingKey<[String]> {
    /// The NTP servers to follow.
    public static var ntpServers: Self { .init("time/ntp/servers", default: []) }
}

extension SettingKey<[String: NetworkInterfaceSettings]> {
    /// The settings of all network interfaces, by name.
    public static var networkInterfaces: Self { .init("network/interfaces", default: [:]) }
}

extension SettingKey<NetworkInterfaceSettings> {
    /// The settings of one network interface.
    ///
    /// - Parameter name: as the kernel has it: `eth0`.
    /// - Returns: a key of all its settings.
    /// - Throws: why the name cannot be part of a path.
    public static func networkInterface(_ name: String) throws(SettingPathError) -> Self {
        .init(path: try SettingPath(segments: ["network", "interfaces", name]), default: NetworkInterfaceSettings())
    }
}

extension SettingKey<Int> {
    /// How many generations of settings are kept.
    public static var historyGenerations: Self { .init("agent/history/generations", default: 1000) }
}

extension SettingKey<ByteCount> {
    /// How much room the history may take.
    public static var historyBytes: Self { .init("agent/history/bytes", default: ByteCount(16 << 20)) }
}

extension SettingKey<LogLevel> {
    /// The least severe messages that the service logs.
    public static var logLevel: Self { .init("agent/log/level", default: .info) }
}
