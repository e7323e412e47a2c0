import CleatIO
import CleatTestSupport
import Testing

@testable import cleat_location

/// Returns a sentence with its checksum.
func sentence(_ text: String) -> [UInt8] {
    let sum = String(text.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return Array("$\(text)*\(sum.count == 1 ? "0" : "")\(sum)".utf8)
}

extension NMEADecoder {
    fileprivate mutating func take(line: [UInt8]) -> Fix? { NMEASentence(line).flatMap { take($0) } }
}

private func gpsdFix(_ line: [UInt8]) -> Fix? { GPSDReport.object(line).flatMap { GPSDReport.fix($0) } }

@Suite("receivers")
struct ReceiverTests {
    private func isNear(_ fix: Fix?, _ latitude: Double, _ longitude: Double) -> Bool {
        guard let fix else { return false }
        return GreatCircle.distance(fix.latitude, fix.longitude, latitude, longitude) < 1
    }

    @Test("the sentences of one instant complete each other, in any order and of any talker")
    func nmea() throws {
        let rmc = "GNRMC,101112.00,A,5231.2000,N,01324.3000,E,10.0,45.5,261126,,,A"
        let gga = "GPGGA,101112.00,5231.2000,N,01324.3000,E,1,08,1.5,34.0,M,45.0,M,,"
        for order in [[rmc, gga], [gga, rmc]] {
            var decoder = NMEADecoder()
            #expect(decoder.take(line: sentence("GNGSA,A,3,01,02,,,,,,,,,,,2.0,1.5,1.1")) == nil)
            _ = decoder.take(line: sentence(order[0]))
            let second = decoder.take(line: sentence(order[1]))
            let fix = try #require(second)
            #expect(isNear(fix, 52.52, 13.405))
            #expect(fix.altitude == 34 && fix.error == 15 && fix.course == 45.5)
            #expect(try abs(#require(fix.speed) - 5.1444) < 0.001)
            #expect(fix.time == "2026-11-26T10:11:12Z")
        }
        var decoder = NMEADecoder()
        #expect(isNear(decoder.take(line: sentence("GARMC,101112,A,3351.0,S,15112.0,W,,,261126,,")), -33.85, -151.2))
        // One that sends both reports a position once for an instant.
        var both = NMEADecoder()
        for second in 12..<40 {
            let rmc = both.take(line: sentence("GNRMC,1011\(second).00,A,5231.2000,N,01324.3000,E,,,261126,,,A"))
            #expect((rmc == nil) == (second > 12))
            let gga = both.take(
                line: sentence("GNGGA,1011\(second).00,5231.2000,N,01324.3000,E,1,08,1.5,34.0,M,45.0,M,,"))
            #expect(gga?.altitude == 34)
        }
        // One kind is enough if the other stays away.
        let alone = (40..<59).map { second in
            both.take(line: sentence("GNRMC,1011\(second).00,A,5231.2000,N,01324.3000,E,,,261126,,,A")) != nil
        }
        #expect(alone == (40..<59).map { $0 >= 50 })
        // Values of another instant are not taken over.
        _ = decoder.take(line: sentence("GPGGA,101113.00,5231.2000,N,01324.3000,E,1,08,1.5,34.0,M,45.0,M,,"))
        #expect(decoder.take(line: sentence("GPRMC,101114.00,A,5231.2000,N,01324.3000,E,,,261126,,,A")) == nil)
        let later = decoder.take(line: sentence("GPGGA,101114.00,5231.2000,N,01324.3000,E,1,,,,,,,,"))
        #expect(later != nil && later?.altitude == nil && later?.error == nil)
        // A fix in two dimensions has no altitude, whatever the sentence says.
        #expect(decoder.take(line: sentence("GPGSA,A,2,01,,,,,,,,,,,,,,")) == nil)
        var flatDecoder = NMEADecoder()
        _ = flatDecoder.take(line: sentence("GPGSA,A,2,01,,,,,,,,,,,,,,"))
        let flat = flatDecoder.take(line: sentence("GPGGA,101115,5231.2000,N,01324.3000,E,1,03,9.9,34.0,M,45.0,M,,"))
        #expect(flat != nil && flat?.altitude == nil)
    }

    @Test(
        "what is no position of the receiver is none",
        arguments: [
            "GPRMC,101112.00,V,5231.2000,N,01324.3000,E,,,261126,,,N", "GPRMC,101112.00,A,,,,,,,261126,,",
            "GPGGA,101112.00,5231.2000,N,01324.3000,E,0,,,,M,,M,,",
            "GPGGA,101112.00,5231.2,N,01324.3,E,6,08,1.5,3,M,,M,,",
            "GPGGA,101112.00,5231.2,N,01324.3,E,8,08,1.5,3,M,,M,,", "GPRMC,101112.00,A,9131.2,N,01324.3,E,,,261126,,",
            "GPRMC,101112.00,A,5260.0,N,01324.3,E,,,261126,,", "GPRMC,101112.00,A,nan,N,inf,E,,,261126,,",
            "GPRMC,101112.00,A,-5231.2,N,01324.3,E,,,261126,,", "GPRMC,101112.00,A,1e2,N,0x3,E,,,261126,,",
            "GPRMC,101112.00,A,5231.2,N,01324.3,E,,,261126,,,E", "GPRMC,101112.00,A,5231.2,N,01324.3,E,,,261126,,,S",
            "GPRMC", "GPRMC,A", "GPGGA", "PGRMC,101112.00,A,5231.2000,N,01324.3000,E,,,261126,,", "GPXXX,1", "",
        ])
    func noFix(_ text: String) {
        var decoder = NMEADecoder()
        #expect(decoder.take(line: sentence(text)) == nil)
    }

    @Test("a sentence with a wrong checksum, without one, or that is too long, is none")
    func damaged() {
        let good = sentence("GPRMC,101112.00,A,5231.2000,N,01324.3000,E,,,261126,,,A")
        #expect(NMEASentence(good) != nil)
        for index in good.indices where index != 0 {
            var bytes = good
            bytes[index] ^= 1
            // Letters of the checksum in lower case are another spelling of the same number.
            #expect(NMEASentence(bytes) == nil, "\(String(decoding: bytes, as: UTF8.self))")
        }
        for count in 0..<good.count { #expect(NMEASentence(good.prefix(count)) == nil) }
        #expect(NMEASentence(sentence("GPRMC," + String(repeating: "1", count: 200))) == nil)
        #expect(NMEASentence([UInt8](repeating: 0xFF, count: 50)) == nil)
    }

    @Test("a date of a receiver whose week number has rolled over is no time")
    func rollover() {
        for date in ["120407", "060886", "139926", "261399", "2611", "aabbcc"] {
            var decoder = NMEADecoder()
            _ = decoder.take(line: sentence("GPGGA,101112.00,5231.2000,N,01324.3000,E,1,08,1.5,34.0,M,45.0,M,,"))
            let fix = decoder.take(line: sentence("GPRMC,101112.00,A,5231.2000,N,01324.3000,E,,,\(date),,,A"))
            #expect(fix != nil && fix?.time == nil, "\(date)")
        }
        for time in ["2026\\u0007", "2006-11-26T10:11:12Z", "now", ""] {
            let fix = gpsdFix(Array(#"{"class":"TPV","mode":2,"lat":1,"lon":2,"time":"\#(time)"}"#.utf8))
            #expect(fix != nil && fix?.time == nil, "\(time)")
        }
    }

    @Test("lines are cut at any end, and one beyond the limit is dropped up to its end")
    func lines() {
        var reader = LineReader(limit: 8)
        #expect(reader.take(Array("one\r\ntw".utf8)) == [Array("one".utf8)])
        #expect(reader.take(Array("o\n\n12345678\n123456789".utf8)) == [Array("two".utf8), Array("12345678".utf8)])
        #expect(reader.take([UInt8](repeating: 65, count: 10_000)) == [])
        #expect(reader.take(Array("\nthree\n".utf8)) == [Array("three".utf8)])
    }

    @Test("gpsd's mode decides what a report is, and its status does not")
    func gpsd() throws {
        let report = #""class":"TPV","lat":52.52,"lon":13.405,"time":"2026-11-26T10:11:12.000Z""#
        let flat = try #require(
            gpsdFix(Array(#"{\#(report),"mode":2,"alt":30,"epx":3,"epy":4,"status":0}"#.utf8)))
        #expect(isNear(flat, 52.52, 13.405) && flat.altitude == nil && flat.error == 5)
        #expect(flat.time == "2026-11-26T10:11:12Z")
        let deep = #"{\#(report),"mode":3,"altMSL":30.5,"alt":70,"eph":7,"epx":3,"epy":4,"speed":1.5,"track":270}"#
        let fix = try #require(gpsdFix(Array(deep.utf8)))
        #expect(fix.altitude == 30.5 && fix.error == 7 && fix.speed == 1.5 && fix.course == 270)
        for text in [
            #"{\#(report),"mode":1,"status":2}"#, #"{\#(report),"mode":0}"#, #"{\#(report)}"#,
            #"{\#(report),"mode":"3"}"#,
            #"{"class":"TPV","mode":3}"#, #"{"class":"TPV","mode":3,"lat":91,"lon":0}"#, #"{"class":"SKY","mode":3}"#,
            "", "{",
            "[]", "null", #"{"class":"TPV","mode":3,"lat":1e999,"lon":0}"#, String(repeating: "[", count: 10_000),
        ] {
            #expect(gpsdFix(Array(text.utf8)) == nil, "\(text.prefix(60))")
        }
    }
}
