import CleatAPI
public import CleatSettings

/// The board's location; see ``Cleat/location``.
public struct BoardLocation: Hashable, Sendable {
    /// The quality of a location.
    public enum Fix: Hashable, Sendable {
        /// No location is known, or no program publishes one.
        case none
        /// The receiver has reported nothing for a while; the location is the last one.
        case stale
        /// Latitude and longitude are known.
        case twoDimensional
        /// The altitude is known, too.
        case threeDimensional
    }

    /// The quality.
    public let fix: Fix
    /// The latitude in degrees, north positive (WGS 84); rounded by the program that publishes it.
    public let latitude: Double?
    /// The longitude in degrees, east positive (WGS 84); rounded by the program that publishes it.
    public let longitude: Double?
    /// The altitude above the mean sea level in metres.
    public let altitude: Double?
    /// The estimated horizontal error in metres.
    public let error: Double?
    /// The speed over ground in metres per second.
    public let speed: Double?
    /// The course over ground in degrees from true north.
    public let course: Double?
    /// The receiver's time of the position, which is right even if the board's clock is not.
    public let time: Timestamp?
    /// The names of the geofences that the position is in, sorted.
    public let fences: [String]
    /// The user of the program that has published it; nil if none has, or the system does not know its name.
    public let emitter: String?

    /// Reads the location from the kept events of programs: the one that was published last.
    init(_ kept: [Event]) {
        let latest = LocationReport.latest(in: kept)
        let report = latest?.report ?? LocationReport(fix: .none)
        fix =
            switch report.fix {
            case .none: .none
            case .stale: .stale
            case .twoDimensional: .twoDimensional
            case .threeDimensional: .threeDimensional
            }
        (latitude, longitude, altitude) = (report.latitude, report.longitude, report.altitude)
        (error, speed, course) = (report.error, report.speed, report.course)
        time = report.time.flatMap { Timestamp($0) }
        fences = report.fences
        emitter = latest?.event.properties[AppEvent.userProperty]
    }
}
