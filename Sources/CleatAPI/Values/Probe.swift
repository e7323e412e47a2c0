package import CleatSettings

/// Says what has to hold for a change to be kept: `link:eth0`, `address:192.0.2.7`, `ping:192.0.2.1`,
/// `tcp:192.0.2.1:22`, `command:NAME`.
///
/// Addresses are numbers: a name would have to be resolved first, over the very network that a change may have cut.
package struct Probe: Hashable, Sendable, CustomStringConvertible {
    /// What is looked at.
    package enum Target: Hashable, Sendable {
        /// The link of this name is switched on and has a carrier.
        case link(String)
        /// The link of this name has an address that can be used.
        case addressOn(String)
        /// Some link has this address, and it can be used.
        case address(InternetAddress)
        /// This address answers to an ICMP echo request; the zone is the link that an IPv6 address is local to.
        case ping(InternetAddress, zone: String?)
        /// A connection to this address and port is accepted.
        case tcp(InternetAddress, zone: String?, port: UInt16)
        /// The command of this name, a file in `probes.d`, ends with 0.
        case command(String)
    }

    /// What is looked at.
    package let target: Target

    /// The longest probe, in bytes.
    package static let bytes = 128
    /// The longest name of a link, in bytes (`IFNAMSIZ` with its NUL is 16).
    private static let linkBytes = 15
    /// The longest name of a command, in bytes.
    package static let commandBytes = 64

    /// Takes what is looked at.
    package init(_ target: Target) {
        self.target = target
    }

    /// Reads a probe as a person writes it.
    ///
    /// - Throws: ``ProbeTextError`` with what is wrong, and what to write.
    package init(_ text: String) throws(ProbeTextError) {
        guard text.utf8.count <= Self.bytes else {
            throw ProbeTextError(text, "has more than \(Self.bytes) bytes")
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw ProbeTextError(text, "is no probe; \(Self.kinds)")
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
        default: throw ProbeTextError(text, "is of no kind that is known; \(Self.kinds)")
        }
    }

    /// The probe as it is written, with addresses in their canonical form.
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

    /// Whether a text can be the name of a command in `probes.d`.
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
                text, "holds no address in numbers; names are not resolved, since a change may cut what resolves them")
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

/// Says why a text is no probe.
package struct ProbeTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The beginning of the text, without control characters.
    package let excerpt: String
    /// What is wrong, and what to write.
    package let reason: String

    init(_ text: String, _ reason: String) {
        let shown = text.unicodeScalars.prefix(60).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
        excerpt = shown.joined() + (text.unicodeScalars.count > 60 ? "…" : "")
        self.reason = reason
    }

    /// The error as one sentence.
    package var description: String { "\(excerpt.isEmpty ? "an empty text" : excerpt) \(reason)" }
}
