/// A circle on the ground that the board enters and leaves.
struct Fence: Equatable, Sendable {
    /// The name: a word of a-z, 0-9 and `-`.
    let name: String
    let latitude: Double
    let longitude: Double
    /// The radius in metres.
    let radius: Double

    /// Parses `NAME=LATITUDE,LONGITUDE,RADIUS`; nil if it is not valid.
    init?(_ text: String) {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...32).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ byte in "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains(byte) })
        else { return nil }
        let numbers = parts[1].split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2],
            (-90...90).contains(latitude), (-180...180).contains(longitude), (1...20_000_000).contains(radius)
        else { return nil }
        (name, self.latitude, self.longitude, self.radius) = (String(parts[0]), latitude, longitude, radius)
    }

    /// Returns true if a position is in the circle.
    ///
    /// The board leaves the circle only when it is outside by more than the error of its position, so that it does not
    /// enter and leave it again and again at its edge.
    func holds(_ fix: Fix, wasInside: Bool) -> Bool {
        let distance = GreatCircle.distance(fix.latitude, fix.longitude, latitude, longitude)
        return distance <= (wasInside ? radius + max(fix.error ?? 0, 10) : radius)
    }
}
