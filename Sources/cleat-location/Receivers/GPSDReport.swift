import CleatJSON

/// A report of gpsd: a line with a JSON object, gpsd_json(5).
enum GPSDReport {
    /// The request that starts the reports.
    static let watch = "?WATCH={\"enable\":true,\"json\":true}\n"
    /// The longest report in bytes; lists of satellites are the longest.
    static let limit = 16_384

    /// Returns the report of a line; nil for what is none.
    static func object(_ line: some Collection<UInt8>) -> JSONObject? {
        guard line.count <= limit, let object = (try? JSONReader.read(Array(line)))?.objectValue,
            object["class"]?.stringValue != nil
        else { return nil }
        return object
    }

    /// Returns the position of a report TPV; nil for other reports, and for one without a position.
    ///
    /// `status` says nothing about validity, so `mode` alone counts: 2 with a position, 3 with an altitude, too.
    static func fix(_ object: JSONObject) -> Fix? {
        guard object["class"] == "TPV", let mode = object["mode"]?.integerValue, mode == 2 || mode == 3,
            let latitude = object["lat"]?.doubleValue, let longitude = object["lon"]?.doubleValue,
            var fix = Fix(latitude: latitude, longitude: longitude)
        else { return nil }
        func number(_ names: String...) -> Double? {
            names.lazy.compactMap { object[$0]?.doubleValue }.first { $0.isFinite }
        }
        if mode == 3 { fix.altitude = number("altMSL", "alt") }
        fix.error = number("eph") ?? number("epx").flatMap { x in number("epy").map { (x * x + $0 * $0).squareRoot() } }
        fix.speed = number("speed")
        fix.course = number("track")
        fix.setTime(object["time"]?.stringValue)
        return fix
    }
}
