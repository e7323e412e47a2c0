import CleatAPI

/// A battery or a line that supplies power; see ``Cleat/power``.
///
/// A value that the driver does not report is nil.
public struct PowerSupply: Hashable, Sendable {
    /// The kind of source that supplies the power.
    public enum Kind: String, Hashable, Sendable {
        /// A battery.
        case battery
        /// A battery that supplies the board while the line is down.
        case ups
        /// A line.
        case mains
        /// A USB port.
        case usb
        /// A wireless charger.
        case wireless
        /// Another kind, or none that the driver reports.
        case other
    }

    /// The state of a battery's charging.
    public enum Status: String, Hashable, Sendable {
        /// The driver does not know.
        case unknown
        /// It is charged.
        case charging
        /// It is used.
        case discharging
        /// It is neither charged nor used, or used although a line is up.
        case idle
        /// It is full.
        case full
    }

    /// The value that the charge was calculated from.
    public enum Basis: String, Hashable, Sendable {
        /// The driver's percentage.
        case capacity
        /// The energy in relation to that of a full battery.
        case energy
        /// The charge in relation to that of a full battery.
        case charge
        /// The middle of a level: ``PowerSupply/level``.
        case level
    }

    /// The kernel's name, such as `BAT0`.
    public let name: String
    /// The kind of source that supplies the power.
    public let kind: Kind
    /// True if it supplies the board; false for the battery of a mouse or another device.
    public let isOfBoard: Bool
    /// The state of a battery's charging.
    public let status: Status?
    /// The charge in percent, 0 to 100.
    public let capacity: Int?
    /// The value that ``capacity`` was calculated from.
    public let basis: Basis?
    /// The driver's level of charge: `critical`, `low`, `normal`, `high`, `full`.
    public let level: String?
    /// The state of a battery, such as `good`, `overheat`, `dead`.
    public let health: String?
    /// True if a line supplies power.
    public let isOnline: Bool?
    /// True if a battery is in place.
    public let isPresent: Bool?
    /// The model's name.
    public let model: String?
    /// The voltage in microvolts.
    public let voltage: Int64?
    /// The current in microamperes; drivers disagree on the sign while a battery is used.
    public let current: Int64?
    /// The power in microwatts.
    public let power: Int64?
    /// The temperature in tenths of a degree Celsius.
    public let temperature: Int64?

    init(_ supply: Supply) {
        name = supply.name
        kind = Kind(rawValue: supply.kind.rawValue) ?? .other
        isOfBoard = supply.scope == .board
        status = supply.status.map { Status(rawValue: $0.rawValue) ?? .unknown }
        capacity = supply.capacity
        basis = supply.basis.flatMap { Basis(rawValue: $0.rawValue) }
        level = supply.level
        health = supply.health
        isOnline = supply.online
        isPresent = supply.present
        model = supply.model
        voltage = supply.voltage
        current = supply.current
        power = supply.power
        temperature = supply.temperature
    }
}
