import CleatOrder

/// The board's location as a program publishes it: the properties of a kept event of the source `app`.
package struct LocationReport: Sendable, Equatable {
    /// The quality of a location.
    package enum Fix: String, Sendable, CaseIterable {
        /// No location is known.
        case none
        /// The receiver has reported nothing for a while; the location is the last one.
        case stale
        /// Latitude and longitude are known.
        case twoDimensional = "2d"
        /// The altitude is known, too.
        case threeDimensional = "3d"
    }

    /// The subject of the events.
    package static let subject = "location"
    /// The part that the subjects of geofences begin with.
    package static let fencePrefix = "location/fence/"

    /// The quality.
    package var fix: Fix
    /// The latitude in degrees, north positive (WGS 84).
    package var latitude: Double?
    /// The longitude in degrees, east positive (WGS 84).
    package var longitude: Double?
    /// The altitude above the mean sea level in metres.
    package var altitude: Double?
    /// The estimated horizontal error in metres.
    package var error: Double?
    /// The speed over ground in metres per second.
    package var speed: Double?
    /// The course over ground in degrees from true north.
    package var course: Double?
    /// The receiver's time of the position, RFC 3339 UTC.
    package var time: String?
    /// The names of the geofences that the position is in, sorted.
    package var fences: [String] = []

    /// Creates a report without a position.
    package init(fix: Fix) { self.fix = fix }

    /// Returns the location among the kept events of programs, with its event: the one that was published last.
    package static func latest(in kept: [Event]) -> (report: LocationReport, event: Event)? {
        let events = kept.filter { $0.subject == subject }.ordered { $0.sequence > $1.sequence }
        return events.lazy.compactMap { event in
            LocationReport(properties: event.properties).map { ($0, event) }
        }.first
    }

    /// Creates a report from the properties of an event; nil if they are none of a location: without a quality that is
    /// known, or with one but without a position on Earth.
    package init?(properties: [String: String]) {
        guard let fix = properties["FIX"].flatMap(Fix.init(rawValue:)) else { return nil }
        func number(_ name: String) -> Double? {
            properties[name].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
        }
        self.init(fix: fix)
        if let latitude = number("LATITUDE"), let longitude = number("LONGITUDE") {
            guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
            (self.latitude, self.longitude) = (latitude, longitude)
        } else if fix != .none {
            return nil
        }
        altitude = number("ALTITUDE")
        error = number("ERROR")
        speed = number("SPEED")
        course = number("COURSE")
        time = properties["TIME"]
        fences = properties["FENCES"]?.split(separator: " ").map(String.init) ?? []
    }

    /// The action of the event.
    package var action: String {
        switch fix {
        case .none: "lost"
        case .stale: "stale"
        case .twoDimensional, .threeDimensional: "located"
        }
    }

    /// Returns the properties of the event.
    ///
    /// - Parameter decimals: The number of decimals of latitude and longitude: 3 are about 100 m, 5 about 1 m.
    /// - Returns: The properties; those that are not known are missing.
    package func properties(decimals: Int) -> [String: String] {
        var properties = ["FIX": fix.rawValue]
        for (name, value, decimals) in [
            ("LATITUDE", latitude, decimals), ("LONGITUDE", longitude, decimals), ("ALTITUDE", altitude, 0),
            ("ERROR", error, 0), ("SPEED", speed, 1), ("COURSE", course, 0),
        ] {
            properties[name] = value.flatMap { Self.decimal($0, decimals) }
        }
        properties["TIME"] = time
        if !fences.isEmpty { properties["FENCES"] = fences.joined(separator: " ") }
        return properties
    }

    /// Returns a number with a fixed number of decimals, rounded to the nearest; nil if it is none, or too large.
    package static func decimal(_ value: Double, _ decimals: Int) -> String? {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        guard let scaled = Int64(exactly: (value * scale).rounded()) else { return nil }
        let digits = String(scaled.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = scaled < 0 ? "-" : ""
        return decimals == 0 ? sign + padded : sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
