import CleatJSON

/// A form that a string must have, beyond the rules that a pattern can express.
///
/// `hostname`, `ipv4`, `ipv6` and `uri` are formats of JSON Schema; the others are Cleat's own. `duration` is not the
/// ISO 8601 form of JSON Schema but the form that people type: `1h30m`.
package enum SettingFormat: String, Hashable, Sendable, CaseIterable {
    /// A host's own name (RFC 1123): labels of 1 to 63 letters, digits and hyphens with dots between them, at most 64
    /// bytes in all, the limit of Linux (HOST_NAME_MAX).
    case hostname
    /// A host to reach: a DNS name of at most 253 bytes, or an IPv4 or IPv6 address.
    case host
    /// A dotted-decimal IPv4 address.
    case ipv4
    /// An IPv6 address (RFC 4291) without a zone.
    case ipv6
    /// An IPv4 or an IPv6 address.
    case ip
    /// An IP address with its prefix length: `192.0.2.1/24`.
    case cidr
    /// A 48-bit hardware address: `02:00:5e:10:00:01`.
    case mac
    /// A URI with a scheme (RFC 3986).
    case uri
    /// A duration: `250ms`, `30s`, `1h30m`, or milliseconds without a unit.
    case duration
    /// A size: `5MiB`, `10kB`, or bytes without a unit.
    case bytes
    /// Bytes in base64 (RFC 4648, section 4), with padding and without line breaks; the empty text is no bytes.
    case base64
    /// A name for a network interface: 1 to 15 bytes without slash, colon and white space, as Linux requires.
    ///
    /// The first is a letter, a digit, an underscore or not ASCII, so that no program takes the name for an option.
    case interface
    /// The name of an interface that has settings.
    ///
    /// It is not the loopback, and not a name that means several interfaces in the kernel's parameters or in
    /// interfaces(5).
    case managedInterface = "managed-interface"

    /// Returns true if a text has this form.
    package func accepts(_ text: String) -> Bool {
        switch self {
        case .hostname: DomainName.isValid(text, maximumBytes: 64)
        case .host: InternetAddress(text) != nil || DomainName.isValid(text, maximumBytes: 253)
        case .ipv4: InternetAddress.v4(parsing: text[...]) != nil
        case .ipv6: InternetAddress.v6(parsing: text[...]) != nil
        case .ip: InternetAddress(text) != nil
        case .cidr: Self.network(text) != nil
        case .mac: Self.hardwareAddress(text) != nil
        case .uri: URIText.isURI(text)
        case .duration: DurationText.milliseconds(text) != nil
        case .bytes: ByteCountText.bytes(text) != nil
        case .base64: Base64.decode(text) != nil
        case .interface: Self.isInterfaceName(text)
        case .managedInterface: Self.isInterfaceName(text) && !Self.reservedInterfaces.contains(text)
        }
    }

    /// Writes a text of this form in its canonical form, so that equal values are stored as equal texts.
    ///
    /// - Returns: the canonical text, or the text itself if it does not have this form.
    package func canonical(_ text: String) -> String {
        switch self {
        case .hostname, .uri, .base64, .interface, .managedInterface: text
        case .host, .ipv4, .ipv6, .ip: accepts(text) ? InternetAddress(text)?.description ?? text : text
        case .cidr: Self.network(text).map { "\($0.address)/\($0.prefix)" } ?? text
        case .mac: Self.hardwareAddress(text) ?? text
        case .duration: DurationText.milliseconds(text).map(DurationText.text(milliseconds:)) ?? text
        case .bytes: ByteCountText.bytes(text).map(ByteCountText.text(bytes:)) ?? text
        }
    }

    /// Returns the number that a text of this form means, in milliseconds or bytes; `minimum` and `maximum` bound it.
    ///
    /// It is nil for forms that are not quantities, and for a text that does not have this form.
    package func quantity(_ text: String) -> Int64? {
        switch self {
        case .duration: DurationText.milliseconds(text)
        case .bytes: ByteCountText.bytes(text)
        default: nil
        }
    }

    /// Writes a number as a text of this form; nil for a negative number, and for forms that are not quantities.
    package func text(quantity: Int64) -> String? {
        guard quantity >= 0 else { return nil }
        return switch self {
        case .duration: DurationText.text(milliseconds: quantity)
        case .bytes: ByteCountText.text(bytes: quantity)
        default: nil
        }
    }

    /// The description of a text of this form, with an example, as the end of an error's sentence.
    package var expectation: String {
        switch self {
        case .hostname:
            "a host name: at most 64 letters, digits, hyphens and dots, each part beginning and ending with a letter or digit"
        case .host: "a host name or an IP address, such as “ntp.example.net”"
        case .ipv4: "an IPv4 address such as “192.0.2.1”"
        case .ipv6: "an IPv6 address such as “2001:db8::1”"
        case .ip: "an IP address such as “192.0.2.1” or “2001:db8::1”"
        case .cidr: "an address with its prefix length such as “192.0.2.1/24”"
        case .mac: "a hardware address such as “02:00:5e:10:00:01”"
        case .uri: "a URI with its scheme such as “https://example.net/”"
        case .duration: "a duration such as “30s”, “1h30m” or “250ms”"
        case .bytes: "a size such as “5MiB”, “10kB” or “512B”"
        case .base64: "bytes in base64, with padding, such as “AAEC/w==”"
        case .interface: Self.interfaceExpectation
        case .managedInterface:
            "\(Self.interfaceExpectation), other than \(Self.reservedInterfaces.map { "“\($0)”" }.joined(separator: ", "))"
        }
    }

    /// The formats of JSON Schema that this one is the union of; nil if it is not a union.
    var branches: [JSONValue]? {
        switch self {
        case .ip: [["format": "ipv4"], ["format": "ipv6"]]
        case .host: [["format": "hostname"], ["format": "ipv4"], ["format": "ipv6"]]
        default: nil
        }
    }

    private static func network(_ text: String) -> (address: InternetAddress, prefix: Int)? {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let digits = text[text.utf8.index(after: slash)...]
        guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy(ASCII.isDigit),
            digits == "0" || digits.utf8.first != UInt8(ascii: "0"),
            let prefix = Int(digits), let address = InternetAddress(text[..<slash]), prefix <= address.bits
        else { return nil }
        return (address, prefix)
    }

    private static func hardwareAddress(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 17, bytes[2] == UInt8(ascii: ":") || bytes[2] == UInt8(ascii: "-") else { return nil }
        for (index, byte) in bytes.enumerated() {
            guard index % 3 == 2 ? byte == bytes[2] : ASCII.isHexadecimal(byte) else { return nil }
        }
        return String(text.lowercased().map { $0 == "-" ? ":" : $0 })
    }

    private static let reservedInterfaces = ["all", "auto", "default", "lo"]
    private static let interfaceExpectation =
        "an interface name: a letter, a digit or “_”, then at most 14 bytes without slash, colon and white space"

    private static func isInterfaceName(_ text: String) -> Bool {
        // See dev_valid_name() in net/core/dev.c; its isspace() checks bytes and includes Latin-1's no-break space.
        guard (1...15).contains(text.utf8.count), let first = text.utf8.first,
            ASCII.isLetter(first) || ASCII.isDigit(first) || first == UInt8(ascii: "_") || first > 0x7F
        else { return false }
        return text.utf8.allSatisfy { byte in
            byte > 0x20 && byte != 0x7F && byte != 0xA0 && byte != UInt8(ascii: "/") && byte != UInt8(ascii: ":")
        }
    }
}

/// Checks texts against the rules of host names (RFC 1123).
enum DomainName {
    /// Returns true if a text is labels of 1 to 63 letters, digits and hyphens, with dots between them.
    static func isValid(_ text: String, maximumBytes: Int) -> Bool {
        guard (1...maximumBytes).contains(text.utf8.count) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            guard (1...63).contains(label.count), label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-")
            else { return false }
            return label.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }
}
