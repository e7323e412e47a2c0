/// A position as a receiver reports it.
struct Fix: Hashable, Sendable {
    /// The latitude in degrees, north positive.
    var latitude: Double
    /// The longitude in degrees, east positive.
    var longitude: Double
    /// The altitude above the mean sea level in metres.
    var altitude: Double?
    /// The radius in metres that holds the true position with a probability of 95 %.
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

    /// Sets the time, unless it is long past: a receiver whose week number has rolled over reports a date that is 1,024
    /// weeks too early.
    mutating func setTime(_ text: String?) {
        time = text.flatMap { $0 >= "2024-01-01" && $0.utf8.count <= 40 ? $0 : nil }
    }
}
