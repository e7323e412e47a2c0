import CleatAPI
import CleatAdapters
import CleatJSON
import CleatSettings
import SystemPackage

/// The route by which the caller of a plan reaches the board.
package struct CallerRoute: Sendable {
    /// The address of the board that the caller's SSH session goes to; nil if none is known.
    var address: String?
    /// The address that the session comes from; nil if none is known.
    var client: String?
    /// The links of the board as they are now.
    var links: [Link] = []

    /// An unknown route.
    package static let unknown = CallerRoute()

    /// The maximum number of processes that are inspected, from a client upwards to init.
    private static let ancestors = 32

    /// The two ends of an SSH session.
    struct Session: Hashable, Sendable {
        /// The client's address.
        let client: String
        /// The board's address.
        let address: String
    }

    /// Inspects a client's process, and its ancestors, for the session of OpenSSH or dropbear that it belongs to.
    ///
    /// The variable is the client's own: a client that forges it deceives only itself.
    static func session(ofProcess pid: Int32) -> Session? {
        var pid = pid
        for _ in 0..<ancestors where pid > 1 {
            let place = FilePath("/proc/\(pid)")
            guard let environment = try? BoundedFile.read(place.appending("environ"), limit: 256 << 10) else {
                return nil
            }
            if let session = session(inEnvironment: environment) { return session }
            guard let status = try? BoundedFile.read(place.appending("stat"), limit: 4_096),
                let parent = parent(inStatus: status)
            else { return nil }
            pid = parent
        }
        return nil
    }

    /// Reads the first and the third word of `SSH_CONNECTION` (ssh(1)): the client's address, and the server's.
    static func session(inEnvironment bytes: [UInt8]) -> Session? {
        let name = Array("SSH_CONNECTION=".utf8)
        guard let variable = bytes.split(separator: 0).first(where: { $0.starts(with: name) }) else { return nil }
        let words = variable.dropFirst(name.count).split(separator: UInt8(ascii: " "))
        guard words.count == 4, let client = withoutZone(words[0]),
            let address = withoutZone(words[2])
        else { return nil }
        return Session(client: client, address: address)
    }

    /// Returns an address without its zone: a link-local address is followed by the name of its link; nil for text that
    /// is no address.
    private static func withoutZone(_ word: ArraySlice<UInt8>) -> String? {
        let text = String(validating: word, as: UTF8.self)?.split(separator: "%").first.map(String.init)
        return text.flatMap { InternetAddress($0) == nil ? nil : $0 }
    }

    /// Returns the parent of a process from `/proc/PID/stat`; the name before it may contain blanks and parentheses.
    /// proc(5)
    static func parent(inStatus bytes: [UInt8]) -> Int32? {
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let words = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard words.count > 1 else { return nil }
        return Int32(String(decoding: words[1], as: UTF8.self))
    }

    /// Returns the effect on the caller's connection if these links change, with the reason.
    func outlook(
        on touched: [String], from before: LayeredSettings, after settings: LayeredSettings
    ) -> (ChangePlan.Connection, String) {
        let connected = ConnectedInterfaces.changed(from: before, to: settings)
        if let link = link(of: address), connected.contains(link.name) {
            return (.cut, "it uses \(address ?? "") on \(link.name), whose VLAN, bridge or bond changes")
        }
        let (connection, reason) = outlook(on: touched, after: settings)
        guard connection == .kept, !touched.isEmpty, let client = client.flatMap({ InternetAddress($0) }) else {
            return (connection, reason)
        }
        let present = Dictionary(
            links.map { ($0.name, $0.addresses.compactMap { InterfaceAddress($0) }) }, uniquingKeysWith: +)
        let was = ReturnPath.find(to: client, by: before, present: present)
        let now = ReturnPath.find(to: client, by: settings, present: present)
        if was == now { return (connection, reason) }
        guard let now else {
            let old = was.map { " \($0)" } ?? ""
            return (.cut, "replies to your address \(client) are sent\(old); no route leads there after the change")
        }
        return (
            .unknown,
            "replies to your address \(client) are sent \(was.map { "\($0)" } ?? "by the system's own routes"), "
                + "and will be sent \(now)"
        )
    }

    private func outlook(on touched: [String], after settings: LayeredSettings) -> (ChangePlan.Connection, String) {
        guard !touched.isEmpty else { return (.kept, "no network interface changes") }
        let names = touched.joined(separator: ", ") + (touched.count == 1 ? " changes" : " change")
        guard let address else {
            return (.unknown, "\(names); your SSH session could not be determined")
        }
        guard let link = link(of: address) else {
            return (.unknown, "\(names); no interface has the address \(address) of your connection")
        }
        let whole = "\(address) on \(link.name)"
        guard touched.contains(link.name) else { return (.kept, "it uses \(whole), which does not change") }
        func value(_ key: String) -> JSONValue? {
            (try? SettingPath(segments: ["network", "interfaces", link.name, key])).flatMap { settings.inForce($0) }
        }
        if value("enabled")?.boolValue == false { return (.cut, "it uses \(whole), which is switched off") }
        let fixed = (value("addresses")?.arrayValue ?? []).compactMap(\.stringValue)
        if fixed.contains(where: { Self.bare($0) == address }) {
            return (.kept, "it uses \(whole), which keeps this address")
        }
        if value("dhcp")?.boolValue == true || fixed.isEmpty {
            return (.unknown, "it uses \(whole), which may get another address")
        }
        return (.cut, "it uses \(whole), which loses this address")
    }

    /// Returns the board's addresses before and after a change of these paths; nil if it does not touch the caller's
    /// interface.
    func reach(touching paths: some Sequence<SettingPath>, after settings: LayeredSettings) -> Reach? {
        guard let address, let link = link(of: address),
            paths.contains(where: { Array($0.segments.prefix(3)) == ["network", "interfaces", link.name] })
        else { return nil }
        func value(_ key: String) -> JSONValue? {
            (try? SettingPath(segments: ["network", "interfaces", link.name, key])).flatMap { settings.inForce($0) }
        }
        let isOn = value("enabled")?.boolValue != false
        let new = isOn ? (value("addresses")?.arrayValue ?? []).compactMap(\.stringValue).map(Self.bare) : []
        // Link-local addresses, which the kernel derives from the hardware address, stay, and need the name of a link.
        let old = link.addresses.map(Self.bare).filter { !new.contains($0) && !$0.hasPrefix("fe80:") }
        return Reach(link: link.name, address: address, old: old, new: new)
    }

    /// Returns the link that has an address.
    private func link(of address: String?) -> Link? {
        links.first { link in link.addresses.contains { Self.bare($0) == address } }
    }

    private static func bare(_ address: String) -> String {
        address.split(separator: "/").first.map(String.init) ?? address
    }
}
