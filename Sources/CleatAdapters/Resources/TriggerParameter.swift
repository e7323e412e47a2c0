/// What an LED has only as long as a trigger is in charge of it, and loses with it: how long it blinks, which interface it
/// shows (Documentation/ABI/testing/sysfs-class-led-trigger-*, Documentation/leds/ledtrig-oneshot.rst).
struct TriggerParameter: Hashable, Sendable {
    /// The file's name, beside that of the trigger.
    let name: String
    /// What was read.
    let value: [UInt8]
}

extension TriggerParameter {
    /// The names for each trigger, in the order in which they are written.
    private static let names: [String: [String]] = [
        "timer": ["delay_on", "delay_off"],
        "oneshot": ["delay_on", "delay_off", "invert"],
        "heartbeat": ["invert"],
        "activity": ["invert"],
        "backlight": ["inverted"],
        "gpio": ["gpio", "desired_brightness", "inverted"],
        "pattern": ["repeat", "pattern"],
        "netdev": [
            "device_name", "link", "link_10", "link_100", "link_1000", "link_2500", "link_5000", "link_10000",
            "half_duplex", "full_duplex", "tx", "rx", "interval",
        ],
        "tty": ["ttyname", "rx", "tx", "cts", "dsr", "dcd", "rng"],
    ]

    /// The directory of the LED whose trigger a path is, with a slash at its end; nil where it is none.
    static func directory(ofTrigger path: String) -> String? {
        guard path.hasPrefix("/sys/class/leds/"), path.hasSuffix("/trigger") else { return nil }
        return String(path.dropLast("trigger".utf8.count))
    }

    /// Says which files a trigger brings along.
    ///
    /// - Parameter value: what was read of the file `trigger`.
    /// - Returns: their names.
    static func names(of value: [UInt8]) -> [String] {
        names[String(decoding: AttributeText.value(of: value), as: UTF8.self)] ?? []
    }
}
