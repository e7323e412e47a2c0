import CleatSettings

/// A position as a receiver reports it.
struct Fix: Hashable, Sendable {
    /// The latitude in degrees, north positive.
    var latitude: Double
    /// The longitude in degrees, east positive.
    var longitude: Double
    /// The altitude above the mean sea level in metres.
    var altitude: Double?
    /// The estimated horizontal error in metres.
    var error: Double?
    /// The speed over ground in metres per second.
    var speed: Double?
    /// The course over ground in degrees from true north.
    var course: Double?
    /// The receiver's time of the position, RFC 3339 UTC.
    var time: String?

    /// Creates a position; nil if it is not one on Earth.
    init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        (self.latitude, self.longitude) = (latitude, longitude)
    }

    /// The times that a receiver can report: 2024 to 2099.
    ///
    /// One whose week number has rolled over reports a date that is 1,024 weeks too early.
    private static let times: ClosedRange<Int64> = 1_704_067_200...4_102_444_799

    /// Sets the time, if it is a possible one.
    mutating func setTime(_ text: String?) {
        time = text.flatMap { Timestamp($0) }.flatMap { Self.times.contains($0.seconds) ? $0.description : nil }
    }
}
