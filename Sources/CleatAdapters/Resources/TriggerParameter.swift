/// A parameter of an LED that exists only while a certain trigger is active, such as its blink times or its interface.
///
/// See Documentation/ABI/testing/sysfs-class-led-trigger-* and Documentation/leds/ledtrig-oneshot.rst.
struct TriggerParameter: Hashable, Sendable {
    /// The file's name, in the directory of the trigger.
    let name: String
    /// The bytes that were read.
    let value: [UInt8]
}

extension TriggerParameter {
    /// The parameter names of each trigger, in the order in which they are written.
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

    /// Returns the directory of the LED whose trigger a path is, with a slash at its end; nil for any other path.
    static func directory(ofTrigger path: String) -> String? {
        guard path.hasPrefix("/sys/class/leds/"), path.hasSuffix("/trigger") else { return nil }
        return String(path.dropLast("trigger".utf8.count))
    }

    /// Returns the names of the files that a trigger adds.
    ///
    /// - Parameter value: the content of the file `trigger`.
    /// - Returns: the file names.
    static func names(of value: [UInt8]) -> [String] {
        names[String(decoding: AttributeText.value(of: value), as: UTF8.self)] ?? []
    }
}
