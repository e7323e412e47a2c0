package import CleatSandbox
package import CleatSettings

/// Writes the name servers and search domains of all interfaces to the resolver's file (resolv.conf(5)), on a board
/// where no program manages it.
package struct ResolverAdapter: Adapter {
    private static let file = "/etc/resolv.conf"
    /// The file of boards whose `/etc` cannot be written.
    private static let runtimeFile = "/run/resolv.conf"
    /// The maximum number of name servers that the C library asks (`MAXNS`).
    private static let maximumServers = 3

    /// `resolver`.
    package let name = "resolver"
    /// `network/interfaces`.
    package var prefixes: [SettingPath] { [InterfaceSettings.path] }
    /// The file, or the one that it is a link to.
    package let files = [Self.file, Self.runtimeFile].compactMap { BuiltIn.file($0) }
    /// The file that is written.
    private let path: String
    /// True if a DHCP client may write the file wherever there are no fixed addresses.
    private let hasClients: Bool

    /// Creates the adapter.
    ///
    /// - Parameters:
    ///   - path: the file that is written (``path(on:)``).
    ///   - hasClients: true if the board's network service runs DHCP clients by itself.
    init(_ path: String, hasClients: Bool) {
        self.path = path
        self.hasClients = hasClients
    }

    /// Returns the file to write: `/etc/resolv.conf`, or `/run/resolv.conf` if it is a link to that.
    static func path(on system: SystemResources) throws(ResourceError) -> String {
        switch try system.linkTarget(of: file) {
        case runtimeFile, "..\(runtimeFile)", "/var\(runtimeFile)", "../var\(runtimeFile)": runtimeFile
        default: file
        }
    }

    /// Wants the file if an interface has name servers or search domains.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        var (servers, domains): ([String], [String]) = ([], [])
        var first: SettingPath?
        let interfaces = InterfaceSettings.all(in: settings).filter { $0.enabled != false }
        for interface in interfaces {
            let own = (interface.resolver.dns ?? []).map(\.description)
            let key: StaticString = own.isEmpty ? "search" : "dns"
            guard !own.isEmpty || interface.resolver.search?.isEmpty == false else { continue }
            first = first ?? interface.path(key)
            servers += own.filter { !servers.contains($0) }
            domains += (interface.resolver.search ?? []).filter { !domains.contains($0) }
            if servers.count > Self.maximumServers {
                desired.refuse(
                    interface.path("dns"),
                    "makes \(servers.count) name servers in \(path), and programs ask only the first "
                        + "\(Self.maximumServers); remove some")
            }
        }
        guard let first else {
            // Its file is as before once the client has ended.
            if let leased = interfaces.first(where: \.hasClient) {
                desired.want(.file(path), .kept, for: leased.path("dhcp"))
            }
            return desired
        }
        if servers.isEmpty {
            desired.refuse(
                first, "would leave \(path) without name servers, since Cleat writes it as a whole; set dns, too")
        }
        if let leased = interfaces.first(where: { hasClients ? $0.usesDHCP : $0.hasClient }) {
            desired.refuse(
                first,
                "is written to \(path), which the DHCP client of \(leased.name) writes, too; install resolvconf, or set "
                    + "fixed addresses")
        }
        var text = "\(WrittenByCleat.mark)\(InterfaceSettings.path).\n"
        if !domains.isEmpty { text += "search \(domains.joined(separator: " "))\n" }
        for server in servers { text += "nameserver \(server)\n" }
        desired.want(.file(path), .file(text), for: first)
        return desired
    }

    /// Checks that the file is not a link, which shows that another program manages it.
    ///
    /// If Cleat has written the file before, a link is an outside edit.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        guard let wanted = desired.wanted.first(where: { $0.state != .kept }), path == Self.file,
            !system.isKnown(wanted.resource)
        else {
            return desired.problems
        }
        do throws(ResourceError) {
            if let target = try system.linkTarget(of: path) {
                desired.refuse(
                    wanted.path,
                    "would write \(path), which is a link to \(target): \(Self.program(behind: target)). Set the name "
                        + "servers there, or replace the link by a file, or by a link to \(Self.runtimeFile)")
            }
        } catch {
            desired.refuse(wanted.path, "cannot be applied: \(error)")
        }
        return desired.problems
    }

    /// Returns the program that makes the target of a link.
    private static func program(behind target: String) -> String {
        let names = [
            "resolve": "systemd-resolved", "NetworkManager": "NetworkManager", "resolvconf": "resolvconf",
            "connman": "ConnMan",
        ]
        let program = target.split(separator: "/").lazy.compactMap { names[String($0)] }.first
        return "\(program ?? "another program") writes that file"
    }
}
