#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The shortest way between two positions on the ground.
enum GreatCircle {
    /// Returns the distance of two positions in metres, on a sphere with the mean radius of the Earth.
    static func distance(_ latitude: Double, _ longitude: Double, _ other: Double, _ otherLongitude: Double) -> Double {
        let radian = Double.pi / 180
        let (a, b) = (sin((other - latitude) * radian / 2), sin((otherLongitude - longitude) * radian / 2))
        let chord = a * a + cos(latitude * radian) * cos(other * radian) * b * b
        return 2 * 6_371_009 * asin(min(1, chord.squareRoot()))
    }
}
