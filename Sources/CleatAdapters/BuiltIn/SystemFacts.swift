internal import CleatSandbox

/// The facts about a system that the built-in adapters depend on; they are read once, at startup of the service.
package struct SystemFacts: Hashable, Sendable {
    /// The service that uses the time servers.
    package enum TimeService: Hashable, Sendable {
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
    package struct Enablement: Hashable, Sendable {
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
    package enum NetworkService: Hashable, Sendable {
        /// No service; Cleat configures the kernel by rtnetlink.
        case kernel
        /// systemd-networkd.
        case networkd
        /// ifupdown, of Debian or BusyBox.
        case ifupdown
        /// NetworkManager; Cleat configures no interfaces then.
        case networkManager
    }

    /// The errors of facts that could not be read, by the names of the adapters that depend on them.
    ///
    /// Such adapters apply nothing and change nothing.
    package var failures: [String: ResourceError] = [:]
    /// The service that manages network interfaces; nil if none is known, as is usual under a root directory.
    package var networkService: NetworkService?
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
            timeService = try Self.timeService(of: system)
            timeEnablement = try Self.enablement(of: timeService, on: system)
        } catch {
            failures[UnknownAdapter.timeServers] = error
        }
        do throws(ResourceError) {
            networkService = try Self.networkService(of: system)
        } catch {
            failures[UnknownAdapter.network] = error
        }
    }

    /// Returns the network service that runs or is enabled; under a root directory only files show it.
    private static func networkService(of system: SystemResources) throws(ResourceError) -> NetworkService? {
        let wants = "/etc/systemd/system/multi-user.target.wants/"
        if try system.isThere("/run/systemd/netif/state", wants + "systemd-networkd.service") { return .networkd }
        if try system.isThere("/run/NetworkManager", wants + "NetworkManager.service") { return .networkManager }
        if try system.isThere("/usr/sbin/ifup", "/sbin/ifup"), try system.isThere(IfupdownAdapter.main) {
            return .ifupdown
        }
        return system.isRunning ? .kernel : nil
    }

    private static func timeService(of system: SystemResources) throws(ResourceError) -> TimeService? {
        if try system.isThere("/usr/sbin/chronyd", "/usr/bin/chronyd") {
            for path in ["/etc/chrony/chrony.conf", "/etc/chrony.conf"] {
                guard let text = try system.text(of: path), let directory = sourceDirectory(in: text) else { continue }
                let isDebians = try system.isThere(
                    "/usr/lib/systemd/system/chrony.service", "/lib/systemd/system/chrony.service")
                return .chrony(sources: directory, unit: isDebians ? "chrony.service" : "chronyd.service")
            }
            return .chronyWithoutSources
        }
        let isThere = try system.isThere("/usr/lib/systemd/systemd-timesyncd", "/lib/systemd/systemd-timesyncd")
        return isThere ? .timesyncd : nil
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
