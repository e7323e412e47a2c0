/// A board that is reached by SSH: `user@host:port`.
struct RemoteHost: Hashable, Sendable {
    /// The destination argument of `ssh`: `user@host`, or a host or alias of its configuration.
    let target: String
    /// The host alone: a name, an alias or an address.
    let name: String
    /// The port; nil for that of ssh's configuration.
    let port: Int?

    /// Parses `[user@]host[:port]`; an IPv6 address with a port is written in brackets.
    init(_ text: String, port: Int? = nil) throws(CommandError) {
        func refuse(_ reason: String) -> CommandError {
            .usage("-H \(text): \(reason)", remedy: "write -H user@host or -H user@host:port")
        }
        let at = text.lastIndex(of: "@")
        let user = at.map { String(text[..<$0]) }
        var host = String(at.map { text[text.index(after: $0)...] } ?? text[...])
        var portText: String?
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { throw refuse("the bracket is not closed") }
            let rest = host[host.index(after: end)...]
            if rest.hasPrefix(":") {
                portText = String(rest.dropFirst())
            } else if !rest.isEmpty {
                throw refuse("after the bracket only :port can follow")
            }
            host = String(host[host.index(after: host.startIndex)..<end])
        } else if let colon = host.firstIndex(of: ":"), host.lastIndex(of: ":") == colon {
            portText = String(host[host.index(after: colon)...])
            host = String(host[..<colon])
        }
        // ssh would read a name that begins with a dash as an option.
        guard !host.isEmpty, !host.hasPrefix("-") else { throw refuse("the host is missing") }
        guard user.map({ !$0.isEmpty && !$0.hasPrefix("-") }) ?? true else { throw refuse("the user is missing") }
        guard text.utf8.count <= 512, !text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7f })
        else { throw refuse("a host holds no spaces or control characters and at most 512 bytes") }
        if let portText {
            guard let number = Int(portText), (1...65535).contains(number) else {
                throw refuse("the port is a number from 1 to 65535")
            }
            self.port = number
        } else if let port {
            guard (1...65535).contains(port) else { throw refuse("the port is a number from 1 to 65535") }
            self.port = port
        } else {
            self.port = nil
        }
        name = host
        target = (user.map { $0 + "@" } ?? "") + host
    }
}
