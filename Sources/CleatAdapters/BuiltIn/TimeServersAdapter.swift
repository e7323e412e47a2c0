internal import CleatJSON
package import CleatSandbox
package import CleatSettings

/// Sets the time servers of systemd-timesyncd or chrony, if one of them is installed.
package struct TimeServersAdapter: LiveAdapter {
    static let path = BuiltIn.path("time/ntp")
    static let servers = BuiltIn.path("time/ntp/servers")
    static let enabled = BuiltIn.path("time/ntp/enabled")
    private static let dropIn = "/etc/systemd/timesyncd.conf.d/60-cleat.conf"

    /// `time-servers`.
    package let name = "time-servers"
    /// `time/ntp`.
    package let prefixes = [Self.path]
    let service: SystemFacts.TimeService?
    let enablement: SystemFacts.Enablement?

    /// Creates the adapter from the facts about the system.
    package init(_ facts: SystemFacts) {
        service = facts.timeService
        enablement = facts.timeEnablement
    }

    /// All files and links that may have been written, for when the present time service could not be determined.
    static var allFiles: [ManagedFileDeclaration] {
        let units = ["systemd-timesyncd.service", "chrony.service", "chronyd.service"]
        let links =
            units.map { "/etc/systemd/system/\($0)" }
            + ["sysinit.target.wants/\(units[0])"].map { "/etc/systemd/system/\($0)" }
            + units.dropFirst().map { "/etc/systemd/system/multi-user.target.wants/\($0)" }
        let files = [dropIn, "/etc/chrony/sources.d/60-cleat.sources", "/etc/chrony.d/60-cleat.sources"]
        return files.compactMap { BuiltIn.file($0, makesParents: true) }
            + links.compactMap { BuiltIn.file($0, isLink: true, makesParents: true) }
    }

    /// The service's file for servers, the link that masks its unit, and the link that enables it at boot.
    package var files: [ManagedFileDeclaration] {
        [
            serversFile.flatMap { BuiltIn.file($0, makesParents: true) },
            mask.flatMap { BuiltIn.file($0, isLink: true, makesParents: true) },
            enablement.flatMap { BuiltIn.file($0.link, isLink: true, makesParents: true) },
        ].compactMap(\.self)
    }

    private var serversFile: String? {
        switch service {
        case .timesyncd: Self.dropIn
        case .chrony(let directory, _): directory + "/60-cleat.sources"
        case .chronyWithoutSources, nil: nil
        }
    }

    private var unit: String? {
        switch service {
        case .timesyncd: "systemd-timesyncd.service"
        case .chrony(_, let unit): unit
        case .chronyWithoutSources, nil: nil
        }
    }

    var mask: String? { unit.map { "/etc/systemd/system/\($0)" } }

    /// Wants the servers in a file of Cleat's own, in addition to those in the system's configuration.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        let servers = settings.inForce(Self.servers)?.arrayValue?.compactMap(\.stringValue)
        let isEnabled = settings.inForce(Self.enabled)?.boolValue
        guard servers != nil || isEnabled != nil else { return desired }
        guard let serversFile, let mask else {
            desired.note(
                service == nil
                    ? "time/ntp is not applied: neither chrony nor systemd-timesyncd is installed."
                    : "time/ntp is not applied: chrony's configuration names no directory below /etc for servers; "
                        + "add “sourcedir /etc/chrony/sources.d”, and restart the service.")
            return desired
        }
        if let servers {
            let state: ResourceState = servers.isEmpty ? .absent : .file(text(servers))
            desired.want(.file(serversFile), state, for: Self.servers)
        }
        switch isEnabled {
        case false?: desired.want(.link(mask), .link("/dev/null"), for: Self.enabled)
        case true?:
            if let enablement {
                desired.want(.link(enablement.link), .link(enablement.target), for: Self.enabled)
            } else {
                desired.note("time/ntp/enabled cannot start \(unit ?? "the service"): systemd has no such unit.")
            }
        case nil: break
        }
        return desired
    }

    /// Returns the servers in the service's configuration, and true for `enabled` if systemd starts it at boot.
    package func live(
        _ scope: LiveScope, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LiveValue] {
        var values: [LiveValue] = []
        if let servers = try configuredServers(on: system) {
            values.append(LiveValue(path: Self.servers, value: .array(servers.map { .string($0) })))
        }
        guard let mask, let enablement else { return values }
        var isEnabled = try system.isThere(enablement.link)
        if try system.linkTarget(of: mask) == "/dev/null" { isEnabled = false }
        return values + [LiveValue(path: Self.enabled, value: .bool(isEnabled))]
    }

    private func text(_ servers: [String]) -> String {
        switch service {
        case .timesyncd: "\(WrittenByCleat.mark)time/ntp/servers.\n[Time]\nNTP=\(servers.joined(separator: " "))\n"
        default: "\(WrittenByCleat.mark)time/ntp/servers.\n" + servers.map { "server \($0) iburst\n" }.joined()
        }
    }

    /// Reloads the servers of the service; starts or stops the service if one of its links has changed.
    package func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        guard let unit, let mask, old != nil, !changed.isEmpty else { return [] }
        let isEnabled = new.inForce(Self.enabled)?.boolValue
        let isOff = isEnabled == false
        let isEnabling = enablement.map { changed.contains(.link($0.link)) } ?? false
        if isEnabling, isEnabled == nil, !changed.contains(.link(mask)) {
            // The unit is enabled as it was before; it is not known if it ran then.
            return [systemd("make systemd reload its units", ["daemon-reload"], nil)]
        }
        if isEnabling || changed.contains(.link(mask)) {
            return [
                systemd("make systemd reload its units", ["daemon-reload"], nil),
                systemd(isOff ? "stop \(unit)" : "start \(unit)", [isOff ? "stop" : "start", unit], unit),
            ]
        }
        if isOff { return [] }
        switch service {
        case .chrony:
            return [
                .command(
                    ActionCommand(
                        "make chrony reload its servers", service: unit,
                        program: "chronyc", ["reload", "sources"], needs: "/run/chrony/chronyd.sock"))
            ]
        default: return [systemd("restart \(unit)", ["try-restart", unit], unit)]
        }
    }

    private func systemd(_ title: String, _ arguments: [String], _ service: String?) -> AdapterAction {
        .command(
            ActionCommand(
                title, service: service, program: "systemctl", arguments, needs: "/run/systemd/system"))
    }
}
