internal import CleatJSON

/// A parameter of the kernel that a network service sets for an interface, with its expected value.
package struct KernelExpectation: Equatable, Sendable {
    /// The name of the parameter that switches IPv6 off.
    private static let disabling = "disable_ipv6"

    private let interface: String
    /// The parameter's name (ip-sysctl.rst).
    private let name: String
    /// The expected value.
    let value: String

    /// Creates an expectation.
    init(_ name: String, of interface: String, is value: String) {
        (self.name, self.interface, self.value) = (name, interface, value)
    }

    /// The path of the parameter's file.
    var path: String { "/proc/sys/net/ipv6/conf/\(interface)/\(name)" }

    /// The key of the setting that implies it.
    var key: StaticString { name == Self.disabling ? "ipv6" : "privacy" }

    /// Returns the values of settings that the kernel's parameters of an interface express, by the last segments of
    /// their paths.
    static func liveValues(
        of interface: String, on system: SystemResources
    ) throws(ResourceError) -> [(key: String, value: JSONValue)] {
        func value(_ name: String) throws(ResourceError) -> String? {
            try system.value(ofAttribute: KernelExpectation(name, of: interface, is: "").path)
        }
        var values: [(String, JSONValue)] = []
        if try value(disabling) == "1" { values.append(("ipv6", "off")) }
        if let temporary = try value("use_tempaddr").flatMap({ Int($0) }) {
            values.append(("privacy", .bool(temporary > 1)))
        }
        return values
    }

    /// Returns the end of a sentence that begins with the interface's name; nil if the parameter is as expected.
    ///
    /// IPv6 also counts as switched off if the interface has no IPv6 address: systemd-networkd makes none, and leaves
    /// the parameter as it is. A kernel without IPv6 has neither.
    func difference(on system: SystemResources) throws(ResourceError) -> String? {
        let present = try system.value(ofAttribute: path)
        if present == value { return nil }
        guard name == Self.disabling, value == "1" else {
            return present.map { "has \(name)=\($0) instead of \(value)" } ?? "has no IPv6 parameter \(name)"
        }
        // Each address has six words, the interface's name last.
        let words = (try system.value(ofAttribute: "/proc/net/if_inet6") ?? "").split(separator: " ")
        let isUsed = stride(from: 5, to: words.count, by: 6).contains { words[$0] == interface }
        return isUsed ? "has an IPv6 address" : nil
    }
}
