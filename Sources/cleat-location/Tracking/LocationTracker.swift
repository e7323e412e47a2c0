import CleatAPI
import CleatIO

/// Decides which positions are published: those that differ by more than the error, and the changes of the quality and
/// of geofences.
struct LocationTracker {
    /// The limits of a tracker.
    struct Limits: Sendable {
        /// The smallest movement that is published, in metres.
        var movement = 50.0
        /// The time without a position after which the last one is stale.
        var stale = Duration.seconds(30)
        /// The time after which a stale position is forgotten.
        var forgotten = Duration.seconds(3_600)
    }

    /// The speed from which the board moves, in metres per second.
    private static let moving = 1.0

    private let limits: Limits
    private let fences: [Fence]
    private var published: Fix?
    private var seen: BootTime?
    private var inside: Set<String> = []
    /// The location to publish.
    private(set) var report = LocationReport(fix: .none)

    init(limits: Limits, fences: [Fence]) {
        (self.limits, self.fences) = (limits, fences)
    }

    /// Takes over the geofences that the board was in before the program started.
    mutating func resume(inside names: [String]) {
        inside = Set(names).intersection(fences.map(\.name))
    }

    /// A geofence that was entered or left.
    struct Crossing: Equatable {
        let fence: String
        let isEntered: Bool
    }

    /// Takes a position; returns the geofences that were entered or left.
    mutating func take(_ fix: Fix, at now: BootTime) -> [Crossing] {
        seen = now
        var crossings: [Crossing] = []
        for fence in fences {
            let was = inside.contains(fence.name)
            guard fence.holds(fix, wasInside: was) != was else { continue }
            if was { inside.remove(fence.name) } else { inside.insert(fence.name) }
            crossings.append(Crossing(fence: fence.name, isEntered: !was))
        }
        let quality: LocationReport.Fix = fix.altitude == nil ? .twoDimensional : .threeDimensional
        if report.fix != quality || !crossings.isEmpty || isNews(fix) { publish(fix, quality) }
        return crossings
    }

    /// Returns true if a position differs enough from the published one: a movement, its start or end, a doubled error.
    private func isNews(_ fix: Fix) -> Bool {
        guard let published else { return true }
        if let speed = fix.speed {
            let wasMoving = (published.speed ?? 0) >= Self.moving
            if wasMoving ? speed < Self.moving / 2 : speed >= Self.moving { return true }
        }
        if (fix.error ?? 0) > 2 * max(published.error ?? 0, limits.movement / 4) { return true }
        let distance = GreatCircle.distance(published.latitude, published.longitude, fix.latitude, fix.longitude)
        return distance > max(limits.movement, 2 * (fix.error ?? 0))
    }

    private mutating func publish(_ fix: Fix, _ quality: LocationReport.Fix) {
        published = fix
        report = LocationReport(fix: quality)
        (report.latitude, report.longitude, report.altitude) = (fix.latitude, fix.longitude, fix.altitude)
        (report.error, report.speed, report.course) = (fix.error, fix.speed, fix.course)
        report.time = fix.time
        report.fences = inside.sorted()
    }

    /// Makes the location stale, or forgets it, once its time has come.
    mutating func pass(_ now: BootTime) {
        guard let seen else { return }
        if now >= seen.advanced(by: limits.forgotten) {
            (report, published, self.seen) = (LocationReport(fix: .none), nil, nil)
        } else if now >= seen.advanced(by: limits.stale) {
            report.fix = .stale
        }
    }

    /// The instant of the next change without a position; nil if there is none.
    var next: BootTime? {
        guard let seen else { return nil }
        return seen.advanced(by: report.fix == .stale ? limits.forgotten : limits.stale)
    }
}
