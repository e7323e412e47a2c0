internal import CleatSandbox

/// Says what a system has that the built-in adapters go by; it is looked at once, when the service starts.
package struct SystemFacts: Hashable, Sendable {
    /// Names what follows the time servers.
    package enum TimeService: Hashable, Sendable {
        /// systemd-timesyncd, which reads `/etc/systemd/timesyncd.conf.d`.
        case timesyncd
        /// chrony, which reads the servers from a directory (`sourcedir`), and is started by a unit of this name.
        case chrony(sources: String, unit: String)
        /// chrony whose configuration names no directory for servers.
        case chronyWithoutSources
    }

    /// Says how a unit of systemd is enabled: by a link that leads to its file. systemd.unit(5)
    package struct Enablement: Hashable, Sendable {
        /// The link, below the target that wants the unit.
        package var link: String
        /// Where it leads, or would lead.
        package var target: String

        /// Takes the link, and where it leads.
        package init(link: String, target: String) {
            self.link = link
            self.target = target
        }
    }

    /// Names what has charge of network interfaces.
    package enum NetworkService: Hashable, Sendable {
        /// Nothing but the kernel, which is spoken to by rtnetlink.
        case kernel
        /// systemd-networkd.
        case networkd
        /// ifupdown, Debian's or busybox's.
        case ifupdown
        /// NetworkManager, beside which Cleat does nothing.
        case networkManager
    }

    /// What could not be looked at, by the adapters that go by it: they follow nothing then, and touch nothing.
    package var failures: [String: ResourceError] = [:]
    /// What has charge of network interfaces; nil where nothing has that is known, as below a root directory.
    package var networkService: NetworkService?
    /// What follows the time servers; nil where nothing does that is known.
    package var timeService: TimeService?
    /// How its unit is enabled; nil where there is none.
    package var timeEnablement: Enablement?
    /// Whether the name of the time zone stands in `/etc/timezone`, too.
    package var hasTimezoneFile: Bool

    /// Takes all of it.
    package init(
        timeService: TimeService? = nil, hasTimezoneFile: Bool = false,
        networkService: NetworkService? = nil, timeEnablement: Enablement? = nil
    ) {
        self.timeEnablement = timeEnablement
        self.timeService = timeService
        self.networkService = networkService
        self.hasTimezoneFile = hasTimezoneFile
    }

    /// Looks at a system; what cannot be looked at stands in ``failures``.
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

    /// What is running, or started at boot, and so has charge; below a root directory only files can say so.
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

    /// Finds the unit's file, and the link that enables it: where that is there, it stays as it is.
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

    /// The directory below `/etc` that chrony's configuration takes servers from (`sourcedir`, chrony.conf(5)); those
    /// below `/run` are for what is learnt by DHCP.
    static func sourceDirectory(in text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count == 2, words[0].lowercased() == "sourcedir", words[1].hasPrefix("/etc/") else { continue }
            return String(words[1])
        }
        return nil
    }
}

extension SystemResources {
    /// Whether one of these paths is there.
    fileprivate func isThere(_ paths: String...) throws(ResourceError) -> Bool {
        for path in paths where try kind(at: path) != nil { return true }
        return false
    }

    /// The files that a pattern means.
    func paths(_ pattern: String) throws(ResourceError) -> [String] {
        do throws(SandboxError) {
            return try files.paths(of: ManagedFileDeclaration(pattern))
        } catch {
            throw ResourceError(.look, .file(pattern), error)
        }
    }

    /// Reads a link that is only looked at; nil where there is none.
    func linkTarget(of path: String) throws(ResourceError) -> String? {
        do throws(SandboxError) {
            return try files.declaring([ManagedFileDeclaration(path, isLink: true)]).linkTarget(path)
        } catch {
            if error.code == .notFound { return nil }
            throw ResourceError(.look, .link(path), error)
        }
    }

    /// Reads a file that is only looked at; nil where there is none.
    func text(of path: String) throws(ResourceError) -> String? {
        do throws(SandboxError) {
            let bytes = try files.declaring([ManagedFileDeclaration(path)]).read(path).bytes
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            if error.code == .notFound { return nil }
            throw ResourceError(.look, .file(path), error)
        }
    }
}
