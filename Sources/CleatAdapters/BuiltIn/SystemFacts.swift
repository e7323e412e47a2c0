internal import CleatSandbox
package import CleatSettings

/// The facts about a system that the built-in adapters depend on.
///
/// They are read at startup of the service, and again before a change or a comparison that depends on them.
package struct SystemFacts: Equatable, Sendable {
    /// The service that uses the time servers.
    package enum TimeService: Equatable, Sendable {
        /// systemd-timesyncd, which reads `/etc/systemd/timesyncd.conf.d`.
        case timesyncd
        /// chrony, which reads servers from a directory (`sourcedir`), and the name of its unit.
        case chrony(sources: String, unit: String)
        /// chrony without a configured directory for servers.
        case chronyWithoutSources
    }

    /// The link that enables a unit of systemd.
    ///
    /// It points to the unit's file; see systemd.unit(5).
    package struct Enablement: Equatable, Sendable {
        /// The link, in the `.wants` directory of the target.
        package var link: String
        /// The target of the link, present or to be made.
        package var target: String

        /// Creates an enablement.
        package init(link: String, target: String) {
            self.link = link
            self.target = target
        }
    }

    /// The service that manages network interfaces.
    package enum NetworkService: Equatable, Sendable {
        /// No service; Cleat configures the kernel by rtnetlink.
        case kernel
        /// systemd-networkd.
        case networkd
        /// ifupdown, of Debian or BusyBox.
        case ifupdown
        /// NetworkManager.
        case networkManager
    }

    /// A service of systemd, or of another init system, that can do the same as another one.
    private struct Candidate<Service: Sendable>: Sendable {
        let service: Service
        let unit: String
        let sign: RunningSign
        /// The name of the service's script, if OpenRC starts it.
        var script: String?

        /// The target that wants the unit once it is enabled.
        var target = "multi-user.target"

        /// Returns true if the service is enabled, so that it runs after a boot.
        ///
        /// Its unit is wanted by a target and not masked, see systemctl(1); or it is in a runlevel of OpenRC.
        func isEnabled(on system: SystemResources) throws(ResourceError) -> Bool {
            if let script {
                // Gentoo and Alpine name it differently.
                let directory = "/etc/runlevels/default/"
                if try system.isThere(directory + script, directory + script.lowercased()) { return true }
            }
            guard try system.isThere("/etc/systemd/system/\(target).wants/\(unit)") else { return false }
            return try !isMasked(on: system)
        }

        /// Returns true if a link to `/dev/null` keeps systemd from starting the unit.
        func isMasked(on system: SystemResources) throws(ResourceError) -> Bool {
            for directory in ["/etc/systemd/system", "/run/systemd/system"]
            where try system.linkTarget(of: "\(directory)/\(unit)") == "/dev/null" { return true }
            return false
        }
    }

    private static let networkServices = [
        Candidate(service: NetworkService.networkd, unit: "systemd-networkd.service", sign: NetworkdAdapter.sign),
        Candidate(
            service: .networkManager, unit: "NetworkManager.service", sign: NetworkManagerAdapter.sign,
            script: "NetworkManager"),
    ]

    /// The errors of facts that could not be read, by the names of the adapters that depend on them.
    ///
    /// Such adapters apply nothing and change nothing.
    package var failures: [String: ResourceError] = [:]
    /// The service that manages network interfaces; nil if none is known, as is usual under a root directory.
    package var networkService: NetworkService?
    /// The file of the name servers, if Cleat writes it itself; nil if the network service, or resolvconf, does.
    package var resolverFile: String?
    /// The file of systemd's unit that starts wpa_supplicant for one interface; nil if there is none.
    package var supplicantUnit: String?
    /// The units that are enabled at the same time although only one of them is used, by the settings that they follow.
    package var rivals: [SettingPath: [String]] = [:]
    /// The service that uses the time servers; nil if none is known.
    package var timeService: TimeService?
    /// The enablement of the time service's unit; nil if there is none.
    package var timeEnablement: Enablement?
    /// True if `/etc/timezone` exists, which then holds the name of the time zone, too.
    package var hasTimezoneFile: Bool

    /// Creates facts.
    package init(
        timeService: TimeService? = nil, hasTimezoneFile: Bool = false,
        networkService: NetworkService? = nil, timeEnablement: Enablement? = nil
    ) {
        self.timeEnablement = timeEnablement
        self.timeService = timeService
        self.networkService = networkService
        self.hasTimezoneFile = hasTimezoneFile
    }

    /// Reads the facts about a system; errors are added to ``failures``.
    package init(of system: SystemResources) {
        self.init()
        do throws(ResourceError) {
            hasTimezoneFile = try system.kind(at: "/etc/timezone") == .regular
        } catch {
            failures[UnknownAdapter.timeZone] = error
        }
        do throws(ResourceError) {
            let services = try Self.timeServices(of: system)
            timeService = try choose(among: services, for: TimeServersAdapter.path, on: system)
            if timeService == nil, services.count > 1 {
                // The one that was disabled stays the one that the settings are about.
                for candidate in services where try candidate.isMasked(on: system) { timeService = candidate.service }
            }
            timeService = timeService ?? services.first?.service
            timeEnablement = try Self.enablement(of: timeService, on: system)
        } catch {
            failures[UnknownAdapter.timeServers] = error
        }
        do throws(ResourceError) {
            networkService = try choose(among: Self.networkServices, for: InterfaceSettings.path, on: system)
            if networkService == nil {
                networkService = try Self.networkServiceWithoutUnit(of: system)
            } else if try Self.ifupdownDefinesInterfaces(on: system) {
                let chosen = Self.networkServices.filter { $0.service == networkService }.map(\.unit)
                rivals[InterfaceSettings.path, default: chosen].append("networking.service")
            }
            supplicantUnit = try SupplicantAdapter.unit(on: system)
            switch networkService {
            case .kernel: resolverFile = try ResolverAdapter.path(on: system)
            case .ifupdown where try !system.isThere("/sbin/resolvconf", "/usr/sbin/resolvconf"):
                resolverFile = try ResolverAdapter.path(on: system)
            default: break
            }
        } catch {
            failures[UnknownAdapter.network] = error
        }
    }

    /// Returns the candidate that runs, or else the first one that is enabled; nil if none is.
    ///
    /// If several are enabled, they are noted.
    private mutating func choose<Service>(
        among candidates: [Candidate<Service>], for path: SettingPath, on system: SystemResources
    ) throws(ResourceError) -> Service? {
        var enabled: [Candidate<Service>] = []
        for candidate in candidates where try candidate.isEnabled(on: system) { enabled.append(candidate) }
        if enabled.count > 1 { rivals[path] = enabled.map(\.unit) }
        if system.isRunning {
            for candidate in candidates where try candidate.sign.isPresent(on: system) { return candidate.service }
        }
        return enabled.first?.service
    }

    /// Returns the way to configure interfaces on a board without another network service.
    private static func networkServiceWithoutUnit(
        of system: SystemResources
    ) throws(ResourceError) -> NetworkService? {
        if try system.isThere("/usr/sbin/ifup", "/sbin/ifup"), try system.isThere(IfupdownAdapter.main) {
            return .ifupdown
        }
        return system.isRunning ? .kernel : nil
    }

    /// Returns true if ifupdown is enabled, and configures interfaces at a boot: on a desktop it often has only `lo`.
    private static func ifupdownDefinesInterfaces(on system: SystemResources) throws(ResourceError) -> Bool {
        let candidate = Candidate(
            service: NetworkService.ifupdown, unit: "networking.service", sign: RunningSign("/run/network"))
        guard try candidate.isEnabled(on: system) else { return false }
        for path in try IfupdownAdapter().definingFiles(on: system) where try system.kind(at: path) == .regular {
            let names = IfupdownAdapter.defined(in: try system.text(of: path) ?? "")
            if !names.isSubset(of: ["lo"]) { return true }
        }
        return false
    }

    /// Returns the time services that are installed; the first one is used if neither runs nor is enabled.
    private static func timeServices(of system: SystemResources) throws(ResourceError) -> [Candidate<TimeService>] {
        var found: [Candidate<TimeService>] = []
        if try system.isThere("/usr/sbin/chronyd", "/usr/bin/chronyd") {
            let isDebians = try system.isThere(
                "/usr/lib/systemd/system/chrony.service", "/lib/systemd/system/chrony.service")
            let unit = isDebians ? "chrony.service" : "chronyd.service"
            var service = TimeService.chronyWithoutSources
            for path in ["/etc/chrony/chrony.conf", "/etc/chrony.conf"] {
                guard let text = try system.text(of: path), let directory = sourceDirectory(in: text) else { continue }
                service = .chrony(sources: directory, unit: unit)
                break
            }
            let sign = RunningSign("/run/chrony", unit: unit)
            found.append(Candidate(service: service, unit: unit, sign: sign, script: "chronyd"))
        }
        if try system.isThere("/usr/lib/systemd/systemd-timesyncd", "/lib/systemd/systemd-timesyncd") {
            let unit = "systemd-timesyncd.service"
            let sign = RunningSign("/run/systemd/timesync", unit: unit)
            found.append(Candidate(service: .timesyncd, unit: unit, sign: sign, target: "sysinit.target"))
        }
        return found
    }

    /// Returns the unit's file and the link that enables it; an existing link is kept as it is.
    private static func enablement(
        of service: TimeService?, on system: SystemResources
    ) throws(ResourceError) -> Enablement? {
        let (unit, target): (String, String)
        switch service {
        case .timesyncd: (unit, target) = ("systemd-timesyncd.service", "sysinit.target")
        case .chrony(_, let name): (unit, target) = (name, "multi-user.target")
        case .chronyWithoutSources, nil: return nil
        }
        let link = "/etc/systemd/system/\(target).wants/\(unit)"
        if let present = try system.linkTarget(of: link) { return Enablement(link: link, target: present) }
        for directory in ["/usr/lib/systemd/system/", "/lib/systemd/system/"] {
            if try system.isThere(directory + unit) { return Enablement(link: link, target: directory + unit) }
        }
        return nil
    }

    /// Returns the directory below `/etc` from which chrony reads servers (`sourcedir`, chrony.conf(5)).
    ///
    /// Directories below `/run` are for servers learnt by DHCP.
    static func sourceDirectory(in text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count == 2, words[0].lowercased() == "sourcedir", words[1].hasPrefix("/etc/") else { continue }
            return String(words[1])
        }
        return nil
    }
}
