package import CleatSandbox
package import CleatSettings

/// Configures interfaces with ifupdown, by one file for each in a directory that `/etc/network/interfaces` reads
/// (interfaces(5)).
///
/// The files use only options that BusyBox knows, too.
package struct IfupdownAdapter: NetworkAdapter, PartialAdapter {
    static let main = "/etc/network/interfaces"
    static let directory = "/etc/network/interfaces.d"

    /// `ifupdown`.
    package let name = "ifupdown"
    /// The files that Cleat writes, and the one in which lines of interfaces are made comments.
    package let files = [
        BuiltIn.file("\(Self.directory)/cleat-*", makesParents: true), BuiltIn.file(Self.main),
    ].compactMap(\.self)

    /// Creates the adapter.
    package init() {}

    /// Returns a reason for virtual interfaces, for which not every ifupdown has options.
    package func reasonNotToFollow(_ path: SettingPath) -> String? {
        guard path.segments.count > 4, VirtualLink(type: path.segments[3]) != nil else { return nil }
        return
            "is applied by systemd-networkd, NetworkManager or, where no service runs the network, by Cleat itself, and "
            + "ifupdown runs on this board; define the \(path.segments[3]) in \(Self.main)"
    }

    /// Wants a file for each interface that has settings; kept addresses follow those that are set.
    package func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState {
        var desired = desiredFiles(
            settings, keeping: kept, refusingNames: "is for an interface whose name ifupdown does not accept; rename it"
        ) { [(Self.file($0.name), .file($0.ifupdownText))] }
        for interface in InterfaceSettings.all(in: settings) where interface.ip.metric != nil && interface.usesDHCP {
            desired.refuse(
                interface.path("metric"),
                "is for \(interface.name), and not every DHCP client of ifupdown has a metric; set fixed addresses")
        }
        // The interface's present state is captured and restored on release: its file may no longer define it by then.
        for wanted in desired.wanted {
            guard case .file = wanted.resource, let name = wanted.path.parent?.name else { continue }
            desired.want(.interface(name), .kept, for: wanted.path)
            desired.want(
                .stanza(Self.main, interface: name), .text(""), for: wanted.path, after: wanted.resource)
        }
        return desired
    }

    /// Returns the interface's file; `source-directory` reads only files without a dot in their names.
    private static func file(_ interface: String) -> Resource {
        .file("\(directory)/cleat-" + String(interface.map { $0 == "." ? "_" : $0 }))
    }

    /// Checks that the directory is read, and that no other file defines the interface.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        let interfaces = InterfaceSettings.all(in: settings)
        guard let first = interfaces.first else { return desired.problems }
        do throws(ResourceError) {
            let text = try system.text(of: Self.main) ?? ""
            if !Self.readsDirectory(text, asBusyBox: try Self.isBusyBox(system)) {
                desired.refuse(
                    first.path,
                    "needs \(Self.main) to read \(Self.directory); add the line “source-directory \(Self.directory)” to it"
                )
            }
            let file = InterfacesFile(text)
            for interface in interfaces
            where !system.isKnown(.stanza(Self.main, interface: interface.name))
                && !file.text(of: interface.name).isEmpty
            {
                let (found, obstacles) = file.contents(for: interface.name)
                if obstacles.isEmpty, found.isSame(as: interface) { continue }
                desired.refuse(
                    interface.path,
                    "is of \(interface.name), which \(Self.main) defines. Take it over first: cleat adopt "
                        + "interface:\(interface.name). Or remove its lines from the file")
            }
            for path in try definingFiles(on: system) where path != Self.main {
                let defined = Self.defined(in: try system.text(of: path) ?? "")
                for interface in interfaces where defined.contains(interface.name) {
                    desired.refuse(
                        interface.path,
                        "is of \(interface.name), which \(path) defines already; remove “iface \(interface.name)” from it, "
                            + "and “auto \(interface.name)” or “allow-hotplug \(interface.name)”")
                }
            }
        } catch {
            desired.refuse(first.path, "cannot be applied: \(error)")
        }
        return desired.problems
    }

    /// Returns the settings that are equal to the lines of an interface in the main file.
    ///
    /// - Returns: one difference for each setting, or for each part that settings cannot express; nil if there are no
    ///   such lines.
    /// - Throws: the reason why the file could not be read.
    package func foreign(
        _ interface: String, on system: SystemResources
    ) throws(ResourceError) -> [InterfaceDifference]? {
        let file = InterfacesFile(try system.text(of: Self.main) ?? "")
        let own = Self.file(interface)
        guard InterfaceSettings(interface).hasPlainName, !file.text(of: interface).isEmpty, !system.isKnown(own),
            try !system.isThere(own.path ?? "/")
        else { return nil }
        let (found, obstacles) = file.contents(for: interface)
        let words = "is configured by \(Self.main)"
        guard obstacles.isEmpty else {
            return obstacles.map {
                InterfaceDifference(
                    words: words, setting: InterfaceSettings.path(interface, "dhcp"),
                    adoption: .impossible("\(words), which \($0.text) (line \($0.line)); change it there"))
            }
        }
        return found.values.map { key, value in
            InterfaceDifference(
                words: words, setting: InterfaceSettings.path(interface, key), adoption: .value(value))
        }
    }

    /// Returns true if the main file reads the whole directory.
    ///
    /// BusyBox takes a path literally: without patterns, and relative to its own working directory.
    static func readsDirectory(_ text: String, asBusyBox: Bool = false) -> Bool {
        lines(of: text).contains { words in
            guard words.count == 2 else { return false }
            var path = String(words[1])
            if asBusyBox, words[0] == "source" || !path.hasPrefix("/") { return false }
            if !path.hasPrefix("/") { path = "/etc/network/" + path }
            if words[0] == "source" { return path == directory + "/*" }
            return words[0] == "source-directory" && (path == directory || path == directory + "/")
        }
    }

    /// Returns true if ifup is a BusyBox applet.
    static func isBusyBox(_ system: SystemResources) throws(ResourceError) -> Bool {
        for path in ["/usr/sbin/ifup", "/sbin/ifup"] {
            guard let target = try system.linkTarget(of: path) else { continue }
            return target.split(separator: "/").last == "busybox"
        }
        return false
    }

    /// Returns the interfaces that a file defines.
    static func defined(in text: String) -> Set<String> {
        Set(lines(of: text).filter { $0.count > 1 && $0[0] == "iface" }.map { String($0[1]) })
    }

    private static func lines(of text: String) -> [[Substring]] {
        text.split(whereSeparator: \.isNewline).map { $0.split { $0 == " " || $0 == "\t" } }
    }

    /// Returns the expected state of each interface.
    package func configured(_ settings: LayeredSettings) -> [ConfiguredInterface] {
        InterfaceSettings.all(in: settings).filter(\.hasPlainName).map {
            $0.configured(by: name, files: [Self.file($0.name)])
        }
    }

    /// Takes the interfaces down by their former configuration, and brings them up by the present one.
    ///
    /// Then it checks the kernel; a released interface is restored to its state before Cleat.
    package func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        guard let old else { return [] }
        let before = InterfaceSettings.all(in: old).filter { changed.contains(Self.file($0.name)) }
        let after = InterfaceSettings.all(in: new).filter { changed.contains(Self.file($0.name)) }
        let released = before.filter { interface in !after.contains { $0.name == interface.name } }
        let taken = after.filter { interface in !before.contains { $0.name == interface.name } }
        var actions: [AdapterAction] = []
        func takeDown(_ name: String, as texts: String...) {
            actions.append(
                .interface(InterfaceAction(name, .takeDown(texts.map { Self.takeDown(name, as: $0) }))))
        }
        // The file has changed or is gone by now, so the former text is passed on standard input.
        for interface in before { takeDown(interface.name, as: interface.ifupdownText) }
        // If an interface was brought up before Cleat managed it, ifup does nothing for it, and its DHCP client would
        // keep running. If no client is installed, that stanza fails.
        for name in taken.map(\.name) { takeDown(name, as: Self.leased(name), "iface \(name) inet manual\n") }
        for interface in after {
            actions.append(
                interface.enabled == false
                    ? Self.command(
                        "switch \(interface.name) off", "ip", ["link", "set", "dev", interface.name, "down"],
                        of: interface.name)
                    : .command(Self.bringUp(interface.name)))
            actions.append(
                .interface(
                    InterfaceAction(
                        interface.name, .check(interface.configured(by: name, files: [Self.file(interface.name)])))))
        }
        for name in released.map(\.name) {
            actions.append(
                .interface(
                    InterfaceAction(name, .giveBack(nil, leased: Self.bringUp(name, as: Self.leased(name))))))
        }
        return actions
    }

    /// Returns a stanza for an interface whose address a DHCP client leases.
    private static func leased(_ interface: String) -> String { "iface \(interface) inet dhcp\n" }

    /// Returns a command that reads the stanza from `/proc/self/fd/0`, since not every board has a /dev/stdin.
    private static func takeDown(_ interface: String, as text: String) -> ActionCommand {
        ActionCommand(
            "take \(interface) down", program: "ifdown", ["-i", "/proc/self/fd/0", "--", interface],
            input: Array(text.utf8),
            timeLimit: timeLimit, subject: interface)
    }

    /// Returns a command that configures an interface from its file, or from a text on standard input.
    private static func bringUp(_ interface: String, as text: String? = nil) -> ActionCommand {
        ActionCommand(
            "bring \(interface) up", program: "ifup",
            (text == nil ? [] : ["-i", "/proc/self/fd/0"]) + ["--", interface],
            input: text.map { Array($0.utf8) }, timeLimit: timeLimit, subject: interface,
            failureMark: "already configured")
    }

    private static let timeLimit: Duration = .seconds(90)

    private static func command(
        _ title: String, _ program: String, _ arguments: [String], of interface: String
    ) -> AdapterAction {
        .command(ActionCommand(title, program: program, arguments, timeLimit: timeLimit, subject: interface))
    }
}

extension InterfaceSettings {
    /// The interface's configuration in the format of interfaces(5).
    fileprivate var ifupdownText: String {
        var text = "\(WrittenByCleat.mark)\(Self.path)/\(name).\n"
        guard enabled != false else { return text + "iface \(name) inet manual\n" }
        text += "auto \(name)\n"
        var lines: [String] = []
        if let mtu { lines.append("pre-up ip link set dev \(name) mtu \(mtu)") }
        lines += ipv6Lines
        let v4 = (ip.addresses ?? []).filter { $0.address.bits == 32 }
        let v6 = (ip.addresses ?? []).filter { $0.address.bits == 128 }
        var method = "manual"
        var more = v4[...]
        let gateway4 = unrankedGateway.flatMap { $0.bits == 32 ? $0 : nil }
        if usesDHCP {
            method = "dhcp"
            if let gateway4 { lines.append("up ip route replace default via \(gateway4) dev \(name)") }
        } else if let first = more.popFirst() {
            method = "static"
            // BusyBox does not accept a prefix length here.
            lines += ["address \(first.address)", "netmask \(first.dottedMask)"]
            if let gateway4 { lines.append("gateway \(gateway4)") }
        } else {
            lines.append("up ip link set dev \(name) up")
        }
        // Kept while the change is on trial.
        more += ip.kept
        lines += more.map { "up ip address add \($0) dev \(name)" }
        if let dns = resolver.dns, !dns.isEmpty {
            lines.append("dns-nameservers " + dns.map(\.description).joined(separator: " "))
        }
        if let search = resolver.search, !search.isEmpty { lines.append("dns-search " + search.joined(separator: " ")) }
        // The stanza with the addresses of a family has its routes, too.
        let v6Routes = routesInOrder.filter { $0.destination.address.bits == 128 }
        lines += Self.routeLines(routesInOrder.filter { $0.destination.address.bits == 32 }, name)
        if v6.isEmpty { lines += Self.routeLines(v6Routes, name) }
        if !usesDHCP, v4.isEmpty { lines.append("down ip link set dev \(name) down") }
        text += "iface \(name) inet \(method)\n" + lines.map { "    \($0)\n" }.joined()
        guard let first = v6.first else { return text }
        var rest = ["address \(first.address)", "netmask \(first.prefix)"]
        if let gateway = unrankedGateway, gateway.bits == 128 { rest.append("gateway \(gateway)") }
        rest += v6.dropFirst().map { "up ip address add \($0) dev \(name)" }
        rest += Self.routeLines(v6Routes, name)
        return text + "iface \(name) inet6 static\n" + rest.map { "    \($0)\n" }.joined()
    }

    /// The options that set the kernel's parameters of IPv6; BusyBox has no others.
    private var ipv6Lines: [String] {
        var values = kernelValues.map { ($0.path, $0.value) }
        if let accepted { values.append((accepted.path, accepted.value)) }
        return values.map { path, value in
            // A kernel without IPv6 needs nothing to switch it off.
            "pre-up test ! -e \(path) || echo \(value) > \(path)"
        }
    }

    /// Returns options that add routes, and delete them in reverse order before the addresses are removed.
    ///
    /// A route that is already gone is not a failure.
    private static func routeLines(_ routes: [InterfaceRoute], _ interface: String) -> [String] {
        func command(_ verb: String, _ route: InterfaceRoute) -> String {
            (route.destination.address.bits == 128 ? "ip -6" : "ip") + " route \(verb) \(route.destination)"
                + (route.gateway.map { " via \($0)" } ?? "") + " dev \(interface)"
                + (route.metric.map { " metric \($0)" } ?? "")
        }
        return routes.map { "up " + command("add", $0) }
            + routes.reversed().map { "down " + command("del", $0) + " || true" }
    }
}
