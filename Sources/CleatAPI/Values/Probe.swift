package import CleatSettings

/// A condition that must hold for a change to be confirmed: `link:eth0`, `address:192.0.2.7`, `ping:192.0.2.1`,
/// `tcp:192.0.2.1:22`, `command:NAME`.
///
/// Addresses are numeric: to resolve a name needs the network, which the change may have broken.
package struct Probe: Equatable, Sendable, CustomStringConvertible {
    /// The object that is checked, and the condition.
    package enum Target: Equatable, Sendable {
        /// The link of this name is administratively up and has a carrier.
        case link(String)
        /// The link of this name has a usable address.
        case addressOn(String)
        /// A link has this address, and the address is usable.
        case address(InternetAddress)
        /// This address replies to an ICMP echo request; the zone is the link of a link-local IPv6 address.
        case ping(InternetAddress, zone: String?)
        /// This address accepts a TCP connection to the port.
        case tcp(InternetAddress, zone: String?, port: UInt16)
        /// The command of this name, a file in `probes.d`, exits with status 0.
        case command(String)
    }

    /// The object that is checked, and the condition.
    package let target: Target

    /// The maximum length of a probe, in bytes.
    package static let bytes = 128
    /// The maximum length of a link's name, in bytes (`IFNAMSIZ` with its NUL is 16).
    private static let linkBytes = 15
    /// The maximum length of a command's name, in bytes.
    package static let commandBytes = 64

    /// Creates a probe of a target.
    package init(_ target: Target) {
        self.target = target
    }

    /// Parses a probe from its text form.
    ///
    /// - Throws: ``ProbeTextError`` with the fault and the valid form.
    package init(_ text: String) throws(ProbeTextError) {
        guard text.utf8.count <= Self.bytes else {
            throw ProbeTextError(text, "has more than \(Self.bytes) bytes")
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw ProbeTextError(text, "is not a valid probe; \(Self.kinds)")
        }
        let rest = text[text.utf8.index(after: colon)...]
        switch text[..<colon] {
        case "link": target = .link(try Self.link(rest, text))
        case "address":
            if let address = InternetAddress(rest) {
                target = .address(address)
            } else {
                target = .addressOn(try Self.link(rest, text, or: "an address"))
            }
        case "ping":
            let (address, zone) = try Self.host(rest, text)
            target = .ping(address, zone: zone)
        case "tcp": target = try Self.tcp(rest, text)
        case "command":
            guard Self.isCommandName(rest) else {
                throw ProbeTextError(
                    text,
                    "names no command: its name is that of a file in probes.d without .json5, 1 to \(Self.commandBytes) "
                        + "letters, digits and . _ - + @")
            }
            target = .command(String(rest))
        default: throw ProbeTextError(text, "is not of a known kind; \(Self.kinds)")
        }
    }

    /// The text form of the probe, with addresses in their canonical form.
    package var description: String {
        switch target {
        case .link(let name): "link:\(name)"
        case .addressOn(let name): "address:\(name)"
        case .address(let address): "address:\(address)"
        case .ping(let address, let zone): "ping:\(address)\(Self.suffix(zone))"
        case .tcp(.v6(let groups), let zone, let port):
            "tcp:[\(InternetAddress.v6(groups))\(Self.suffix(zone))]:\(port)"
        case .tcp(let address, _, let port): "tcp:\(address):\(port)"
        case .command(let name): "command:\(name)"
        }
    }

    /// Returns true if a text is a valid name of a command in `probes.d`, or of a hook.
    package static func isCommandName(_ name: some StringProtocol) -> Bool {
        (1...commandBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
                    UInt8(ascii: "+"), UInt8(ascii: "@"):
                    true
                default: false
                }
            }
    }

    private static let kinds =
        "write link:NAME, address:NAME-OR-ADDRESS, ping:ADDRESS, tcp:ADDRESS:PORT or command:NAME"

    private static func suffix(_ zone: String?) -> String { zone.map { "%\($0)" } ?? "" }

    private static func link(
        _ name: Substring, _ text: String, or other: String? = nil
    ) throws(ProbeTextError) -> String {
        let isName =
            (1...linkBytes).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
        guard isName else {
            throw ProbeTextError(
                text,
                "names no link\(other.map { " and \($0)" } ?? ""); a link's name is 1 to \(linkBytes) bytes, as in eth0"
            )
        }
        return String(name)
    }

    private static func host(
        _ host: Substring, _ text: String
    ) throws(ProbeTextError) -> (InternetAddress, zone: String?) {
        var number = host
        var zone: String?
        if let percent = host.utf8.firstIndex(of: UInt8(ascii: "%")) {
            number = host[..<percent]
            zone = try link(host[host.utf8.index(after: percent)...], text)
        }
        guard let address = InternetAddress(number) else {
            throw ProbeTextError(
                text, "holds no address in numbers; names are not resolved, since a change may break name resolution")
        }
        if case .v4 = address, zone != nil {
            throw ProbeTextError(text, "names a link behind an IPv4 address; only IPv6 addresses are local to one")
        }
        return (address, zone)
    }

    private static func tcp(_ rest: Substring, _ text: String) throws(ProbeTextError) -> Target {
        guard let colon = rest.utf8.lastIndex(of: UInt8(ascii: ":")) else {
            throw ProbeTextError(text, "names no port; write tcp:ADDRESS:PORT, as in tcp:192.0.2.1:22")
        }
        var host = rest[..<colon]
        let digits = rest[rest.utf8.index(after: colon)...]
        let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        if isBracketed {
            host = host.dropFirst().dropLast()
        } else if host.utf8.contains(UInt8(ascii: ":")) {
            throw ProbeTextError(text, "holds an IPv6 address without brackets; write tcp:[2001:db8::1]:22")
        }
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else {
            throw ProbeTextError(text, "names no port; it is a number from 1 to 65535 behind the last colon")
        }
        let (address, zone) = try Self.host(host, text)
        if case .v4 = address, isBracketed {
            throw ProbeTextError(text, "holds an IPv4 address in brackets; write it without")
        }
        return .tcp(address, zone: zone, port: port)
    }
}

/// The reason why a text is not a valid probe.
package struct ProbeTextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The beginning of the text, without control characters.
    package let excerpt: String
    /// The fault and the valid form.
    package let reason: String

    init(_ text: String, _ reason: String) {
        let shown = text.unicodeScalars.prefix(60).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
        excerpt = shown.joined() + (text.unicodeScalars.count > 60 ? "…" : "")
        self.reason = reason
    }

    /// The error as one sentence.
    package var description: String { "\(excerpt.isEmpty ? "an empty text" : excerpt) \(reason)" }
}
