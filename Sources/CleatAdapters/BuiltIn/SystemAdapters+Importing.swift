internal import CleatIO
internal import CleatJSON
package import CleatSettings

extension HostNameAdapter: ImportingAdapter {
    /// Adds the name, if `/etc/hostname` and the kernel have the same.
    package func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) {
        let file = "/etc/hostname"
        guard let path = prefixes.first, settings.inForce(path) == nil,
            let stored = try system.content(of: .file(file)).flatMap(Self.name)
        else { return }
        if system.isRunning, let present = try system.content(of: .hostName).flatMap(Self.name), present != stored {
            return found.skip(
                "\(file):1", "has \(stored), and the kernel has \(present); set system/hostname to one of them")
        }
        found.add(path, .string(stored), from: "\(file):1")
    }
}

extension TimeZoneAdapter: ImportingAdapter {
    /// Adds the zone of the link.
    package func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) {
        let file = "/etc/localtime"
        guard settings.inForce(Self.path) == nil else { return }
        if let zone = try system.linkTarget(of: file).flatMap(Self.zone) {
            found.add(Self.path, .string(zone), from: file)
        } else if try system.isThere(file) {
            found.skip(file, "is no link to a zone, so its name is not known; set system/timezone")
        }
    }
}

extension TimeServersAdapter: ImportingAdapter {
    /// Adds the servers of systemd-timesyncd, and that the service is enabled or masked.
    ///
    /// Those of chrony stay in its own files: `pool` and options have no setting.
    package func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) {
        if let enablement, let mask {
            if try system.linkTarget(of: mask) == "/dev/null" {
                found.add(Self.enabled, false, from: mask)
            } else if try system.isThere(enablement.link) {
                found.add(Self.enabled, true, from: enablement.link)
            }
        }
        switch service {
        case .timesyncd:
            let (servers, source) = try timesyncdServers(on: system) { !$0.hasSuffix("/60-cleat.conf") }
            if !servers.isEmpty { found.add(Self.servers, .array(servers.map { .string($0) }), from: source) }
        case .chrony, .chronyWithoutSources:
            for path in ["/etc/chrony/chrony.conf", "/etc/chrony.conf"] {
                for (number, line) in (try system.text(of: path) ?? "").numberedLines {
                    guard let key = line.split(separator: " ").first, ["server", "pool", "peer"].contains(key) else {
                        continue
                    }
                    found.skip("\(path):\(number)", "stays in force, next to the servers of time/ntp/servers")
                }
            }
        case nil: break
        }
    }
}

extension TimeServersAdapter {
    /// Returns the servers of systemd-timesyncd, whose files are read as one: an empty value resets the list.
    private func timesyncdServers(
        on system: SystemResources, _ isRead: (String) -> Bool = { _ in true }
    ) throws(ResourceError) -> (servers: [String], source: String) {
        var (text, source) = ("", "")
        for path in ["/etc/systemd/timesyncd.conf"] + (try system.paths("/etc/systemd/timesyncd.conf.d/*.conf"))
        where isRead(path) {
            let file = try system.text(of: path) ?? ""
            text += file + "\n"
            let line = NetworkdFile(path: path, text: file).entries.last {
                $0.section == "Time" && $0.key == "NTP"
            }?.line
            if let line { source = "\(path):\(line)" }
        }
        let entries = NetworkdFile(path: "", text: text).entries.filter { $0.section == "Time" && $0.key == "NTP" }
        return (entries.flatMap { $0.value.split(separator: " ").map(String.init) }, source)
    }

    /// Returns the servers and pools in the configuration of the time service, Cleat's own included; nil if there is no
    /// such service.
    func configuredServers(on system: SystemResources) throws(ResourceError) -> [String]? {
        var paths = ["/etc/chrony/chrony.conf", "/etc/chrony.conf"]
        switch service {
        case .timesyncd: return try timesyncdServers(on: system).servers
        case .chrony(let directory, _): paths += try system.paths("\(directory)/*.sources")
        case .chronyWithoutSources: break
        case nil: return nil
        }
        var servers: [String] = []
        for path in paths {
            for (_, line) in (try system.text(of: path) ?? "").numberedLines {
                let words = line.split(separator: " ")
                guard words.count > 1, ["server", "pool", "peer"].contains(words[0]) else { continue }
                servers.append(String(words[1]))
            }
        }
        return servers
    }
}

extension SysctlAdapter: ImportingAdapter {
    /// Adds the administrator's parameters of sysctl.d(5), as far as the kernel has these values.
    package func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) {
        var values: [String: (text: String, source: String)] = [:]
        let directory = "/etc/sysctl.d"
        // The last value counts; sysctl(8) reads the main file after the directory.
        for path in try system.paths("\(directory)/*.conf").sortedByBytes() + ["/etc/sysctl.conf"]
        where path != "\(directory)/60-cleat.conf" {
            let text: String
            do throws(ResourceError) {
                if let target = try system.linkTarget(of: path) {
                    // Debian's link to the main file.
                    if !target.hasSuffix("/sysctl.conf") {
                        found.skip(path, "is a link to \(target), which is not read")
                    }
                    continue
                }
                text = try system.text(of: path) ?? ""
            } catch {
                found.skip(path, "could not be read: \(error.reason)")
                continue
            }
            for (number, line) in text.numberedLines {
                let line = Substring(line.trimmed)
                guard let first = line.first, first != "#", first != ";" else { continue }
                let source = "\(path):\(number)"
                guard let equals = line.firstIndex(of: "="),
                    let name = SysctlName((first == "-" ? line[..<equals].dropFirst() : line[..<equals]).trimmed)
                else {
                    found.skip(source, "is no assignment of one kernel parameter")
                    continue
                }
                if name.path.utf8.contains(UInt8(ascii: "*")) {
                    found.skip(source, "is a pattern for several parameters, which settings cannot express")
                    continue
                }
                values[name.text] = (line[line.index(after: equals)...].trimmed, source)
            }
        }
        for name in Array(values.keys).sortedByBytes() {
            guard let value = values[name], let parameter = SysctlName(name) else { continue }
            let file = "/proc/sys/" + parameter.path
            if let reason = parameter.reasonNotToSet {
                found.skip(value.source, "sets \(name), which \(reason)")
                continue
            }
            do throws(ResourceError) {
                if let reason = try Self.difference(of: name, from: value.text, in: file, on: system) {
                    found.skip(value.source, reason)
                    continue
                }
            } catch {
                found.skip(value.source, "sets \(name), which could not be read: \(error.reason)")
                continue
            }
            // The kernel reads numbers that begin with 0 as octal.
            let isNumber = value.text == "0" || !["0", "-", "+"].contains(value.text.first)
            let json: JSONValue = (isNumber ? Int64(value.text) : nil).map { .integer($0) } ?? .string(value.text)
            found.add(prefixes.first.flatMap { try? $0.appending(name) }, json, from: value.source)
        }
    }

    /// Returns the reason why a parameter is not imported, as the end of a sentence that begins with the file; nil if
    /// the kernel has the value, and below a root directory.
    private static func difference(
        of name: String, from text: String, in file: String, on system: SystemResources
    ) throws(ResourceError) -> String? {
        guard system.isRunning else { return nil }
        // Some parameters are keys.
        guard try system.isPublic(.attribute(file)) else {
            return "sets \(name), which not all users may read; it stays"
        }
        guard let present = try system.value(ofAttribute: file) else {
            return "sets \(name), which this kernel does not have"
        }
        let isEqual = present.split(whereSeparator: \.isWhitespace) == text.split(whereSeparator: \.isWhitespace)
        return isEqual ? nil : "sets \(name) to \(text), and the kernel has \(present)"
    }
}
