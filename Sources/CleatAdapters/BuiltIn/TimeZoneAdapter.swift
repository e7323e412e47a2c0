internal import CleatJSON
package import CleatSandbox
package import CleatSettings

/// Sets the time zone from the tz database: by the link `/etc/localtime` (localtime(5)), and in `/etc/timezone` if that
/// exists.
package struct TimeZoneAdapter: LiveAdapter {
    static let zones = "/usr/share/zoneinfo"
    static let path = BuiltIn.path("system/timezone")

    /// `time-zone`.
    package let name = "time-zone"
    /// `system/timezone`.
    package let prefixes = [Self.path]
    /// `/etc/localtime` and `/etc/timezone`.
    package let files = [
        BuiltIn.file("/etc/localtime", isLink: true, makesParents: true), BuiltIn.file("/etc/timezone"),
    ].compactMap(\.self)
    private let facts: SystemFacts

    /// Creates the adapter from the facts about the system.
    package init(_ facts: SystemFacts) { self.facts = facts }

    /// Wants the link, relative as systemd makes it, so that it is also valid under a root directory.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        guard let zone = settings.inForce(Self.path)?.stringValue else { return desired }
        desired.want(.link("/etc/localtime"), .link("..\(Self.zones)/\(zone)"), for: Self.path)
        if facts.hasTimezoneFile { desired.want(.file("/etc/timezone"), .file(zone + "\n"), for: Self.path) }
        return desired
    }

    /// Refuses a zone that is missing from the system's tz database: `/etc/localtime` would be a dangling link.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        guard let zone = settings.inForce(Self.path)?.stringValue else { return desired.problems }
        do throws(ResourceError) {
            if try system.kind(at: Self.zones) != .directory {
                desired.refuse(
                    Self.path,
                    "is “\(zone)”, but this system has no \(Self.zones); install the tz database (the package tzdata)")
            } else if try system.kind(at: "\(Self.zones)/\(zone)") != .regular {
                desired.refuse(
                    Self.path,
                    "names no zone of \(Self.zones); use one such as Europe/Berlin, or install the whole tz database"
                )
            }
        } catch {
            desired.refuse(Self.path, "cannot be looked up: \(error)")
        }
        return desired.problems
    }

    /// Returns the zone that the link points to.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? {
        guard case .link = wanted.resource else { return nil }
        return String(validating: content, as: UTF8.self).flatMap(Self.zone)
    }

    /// Returns the zone of the link.
    package func live(
        _ scope: LiveScope, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LiveValue] {
        guard let zone = try system.linkTarget(of: "/etc/localtime").flatMap(Self.zone) else { return [] }
        return [LiveValue(path: Self.path, value: .string(zone))]
    }

    static func zone(of target: String) -> String? {
        for way in ["..\(Self.zones)/", "\(Self.zones)/"] where target.hasPrefix(way) {
            return String(target.dropFirst(way.count))
        }
        return nil
    }
}
