import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatSettings

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0, 0, "1970-01-01T00:00:00Z"),
        ("0000-01-01T00:00:00Z", -62_167_219_200, 0, "0000-01-01T00:00:00Z"),
        ("0000-02-29T00:00:00Z", -62_162_121_600, 0, "0000-02-29T00:00:00Z"),
        ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
        ("1969-12-31T23:59:59.5Z", -1, 500_000_000, "1969-12-31T23:59:59.5Z"),
        ("2024-02-29T12:00:00+02:00", 1_709_200_800, 0, "2024-02-29T10:00:00Z"),
        ("2024-02-28T22:30:00.25-11:30", 1_709_200_800, 250_000_000, "2024-02-29T10:00:00.25Z"),
        ("2024-02-29t10:00:00.000000001z", 1_709_200_800, 1, "2024-02-29T10:00:00.000000001Z"),
        ("2024-02-29T10:00:00-00:00", 1_709_200_800, 0, "2024-02-29T10:00:00Z"),
        ("2024-02-29T10:00:00.1234567890000Z", 1_709_200_800, 123_456_789, "2024-02-29T10:00:00.123456789Z"),
        ("2016-12-31T23:59:60Z", 1_483_228_800, 0, "2017-01-01T00:00:00Z"),
        ("0000-01-01T00:00:00-23:59", -62_167_132_860, 0, "0000-01-01T23:59:00Z"),
        ("9999-12-31T23:59:59+23:59", 253_402_214_459, 0, "9999-12-31T00:00:59Z"),
    ])
    func readsAndWrites(_ text: String, _ seconds: Int64, _ nanoseconds: Int, _ canonical: String) throws {
        let time = try #require(Timestamp(text))
        #expect(time.seconds == seconds)
        #expect(time.nanoseconds == nanoseconds)
        #expect(time.description == canonical)
        #expect(Timestamp(canonical) == time)
        #expect(Timestamp(seconds: seconds, nanoseconds: nanoseconds) == time)
    }

    @Test(arguments: [
        "", "now", "2024-02-29", "2024-02-29T10:00:00", "2024-02-29 10:00:00Z", "2024-02-30T10:00:00Z",
        "2023-02-29T10:00:00Z", "2024-02-29T24:00:00Z", "2024-02-29T10:00:00.Z", "2024-02-29T10:00:00.1234567891Z",
        "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z", "12024-02-29T10:00:00Z",
        "-001-02-29T10:00:00Z", "2024-02-29T10:00:00+24:00", "2024-02-29T10:00:00Z ", "٢٠٢٤-02-29T10:00:00Z",
    ])
    func refuses(_ text: String) throws {
        #expect(Timestamp(text) == nil)
        let error = #expect(throws: JSONCodingError.self) { try JSONValue.string(text).decode(Timestamp.self) }
        #expect(error?.code == .invalidValue)
    }

    @Test func theRangeIsThatOfTheText() {
        #expect(Timestamp(seconds: -62_167_219_201) == nil)
        #expect(Timestamp(seconds: 253_402_300_800) == nil)
        #expect(Timestamp(seconds: .min) == nil)
        #expect(Timestamp(seconds: 0, nanoseconds: -1) == nil)
        #expect(Timestamp(seconds: 0, nanoseconds: 1_000_000_000) == nil)
        #expect(Timestamp(clampingMilliseconds: .min).description == "0000-01-01T00:00:00Z")
        #expect(Timestamp(clampingMilliseconds: .max).description == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(clampingMilliseconds: -1).description == "1969-12-31T23:59:59.999Z")
    }

    @Test func everyTextIsReadBackAndOrdered() throws {
        var last: Timestamp?
        // 96 days and an odd number of seconds: each month and each leap year of the range is met.
        for seconds in stride(from: Int64(-62_167_219_200), through: 253_402_300_799, by: 96 * 86_400 + 4567) {
            let time = try #require(Timestamp(seconds: seconds, nanoseconds: Int(seconds.magnitude % 1_000_000_000)))
            #expect(Timestamp(time.description) == time, "\(seconds)")
            if let last { #expect(last < time && last.description < time.description) }
            last = time
        }
    }
}
