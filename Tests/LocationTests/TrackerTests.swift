import CleatAPI
import CleatIO
import Testing

@testable import cleat_location

@Suite("location")
struct TrackerTests {
    private static let start = BootTime(milliseconds: 1_000_000)

    /// Returns a position so many metres north of one in Berlin.
    private func fix(north metres: Double = 0, error: Double? = nil, altitude: Double? = nil) throws -> Fix {
        var fix = try #require(Fix(latitude: 52.52 + metres / 111_195, longitude: 13.405))
        (fix.error, fix.altitude) = (error, altitude)
        return fix
    }

    private func tracker(_ fences: String...) throws -> LocationTracker {
        LocationTracker(limits: .init(), fences: try fences.map { try #require(Fence($0)) })
    }

    @Test("a distance is that of the ground, also across the date line and at a pole")
    func distance() {
        #expect(abs(GreatCircle.distance(52.52, 13.405, 48.8566, 2.3522) - 877_500) < 1_000)
        #expect(abs(GreatCircle.distance(0, 179.999, 0, -179.999) - 222.4) < 1)
        #expect(GreatCircle.distance(90, 0, 90, 180) < 0.01)
        #expect(abs(GreatCircle.distance(0, 0, 0, 180) - 20_015_000) < 1_000)
    }

    @Test("a movement is published when it exceeds the threshold, and twice the error")
    func movement() throws {
        var tracker = try tracker()
        _ = tracker.take(try fix(error: 60), at: Self.start)
        let first = tracker.report
        #expect(first.fix == .twoDimensional)
        _ = tracker.take(try fix(north: 49, error: 5), at: Self.start)
        #expect(tracker.report == first)
        _ = tracker.take(try fix(north: 150, error: 100), at: Self.start)
        #expect(tracker.report == first)
        _ = tracker.take(try fix(north: 201, error: 100), at: Self.start)
        #expect(tracker.report != first && tracker.report.error == 100)
    }

    @Test("the start and the end of a movement are published, and an error that doubles")
    func motion() throws {
        var tracker = try tracker()
        func take(speed: Double, error: Double) throws -> Bool {
            var fix = try fix(error: error)
            fix.speed = speed
            let former = tracker.report
            _ = tracker.take(fix, at: Self.start)
            return tracker.report != former
        }
        let steps: [(Double, Double, Bool)] = [
            (0, 20, true), (0.9, 20, false), (14, 20, true), (13, 20, false), (0.6, 20, false), (0.1, 20, true),
            (0.1, 40, false), (0.1, 41, true), (0.1, 5, false),
        ]
        for (speed, error, isNews) in steps {
            #expect(try take(speed: speed, error: error) == isNews, "\(speed) \(error)")
        }
    }

    @Test("the geofences of a former run are taken over")
    func resumed() throws {
        var tracker = try tracker("home=52.52,13.405,100", "depot=52.53,13.405,100")
        tracker.resume(inside: ["home", "gone"])
        #expect(tracker.take(try fix(), at: Self.start) == [] && tracker.report.fences == ["home"])
        tracker.resume(inside: ["depot"])
        let crossings = tracker.take(try fix(), at: Self.start)
        #expect(crossings == [.init(fence: "home", isEntered: true), .init(fence: "depot", isEntered: false)])
    }

    @Test("an altitude that comes or goes changes the quality")
    func quality() throws {
        var tracker = try tracker()
        #expect(tracker.report.fix == .none && tracker.next == nil)
        _ = tracker.take(try fix(altitude: 30), at: Self.start)
        #expect(tracker.report.fix == .threeDimensional && tracker.report.altitude == 30)
        _ = tracker.take(try fix(), at: Self.start)
        #expect(tracker.report.fix == .twoDimensional && tracker.report.altitude == nil)
    }

    @Test("without positions the last one becomes stale, and is forgotten after an hour; the next one counts at once")
    func stale() throws {
        var tracker = try tracker()
        _ = tracker.take(try fix(), at: Self.start)
        #expect(tracker.next == Self.start.advanced(by: .seconds(30)))
        tracker.pass(Self.start.advanced(by: .seconds(29)))
        #expect(tracker.report.fix == .twoDimensional)
        tracker.pass(Self.start.advanced(by: .seconds(30)))
        #expect(tracker.report.fix == .stale && tracker.report.latitude != nil && tracker.report.action == "stale")
        #expect(tracker.next == Self.start.advanced(by: .seconds(3_600)))
        _ = tracker.take(try fix(north: 1), at: Self.start.advanced(by: .seconds(40)))
        #expect(tracker.report.fix == .twoDimensional)
        tracker.pass(Self.start.advanced(by: .seconds(40 + 3_600)))
        #expect(tracker.report == LocationReport(fix: .none) && tracker.report.action == "lost" && tracker.next == nil)
        _ = tracker.take(try fix(), at: Self.start.advanced(by: .seconds(9_000)))
        #expect(tracker.report.fix == .twoDimensional)
    }

    @Test("a geofence is left only beyond the error of the position")
    func fences() throws {
        var tracker = try tracker("home=52.52,13.405,100", "depot=52.53,13.405,100")
        #expect(tracker.take(try fix(), at: Self.start) == [.init(fence: "home", isEntered: true)])
        #expect(tracker.report.fences == ["home"])
        #expect(tracker.take(try fix(north: 105, error: 2), at: Self.start) == [])
        #expect(tracker.take(try fix(north: 130, error: 40), at: Self.start) == [])
        #expect(tracker.take(try fix(north: 130, error: 5), at: Self.start) == [.init(fence: "home", isEntered: false)])
        #expect(tracker.report.fences == [])
        #expect(tracker.take(try fix(north: 105, error: 5), at: Self.start) == [])
        let moved = tracker.take(try fix(north: 1_112), at: Self.start)
        #expect(moved == [.init(fence: "depot", isEntered: true)] && tracker.report.fences == ["depot"])
    }

    @Test(
        "a geofence that is not valid is refused",
        arguments: [
            "", "home", "home=1,2", "home=1,2,3,4", "=1,2,3", "Home=1,2,3", "a b=1,2,3", "home=91,2,3", "home=1,181,3",
            "home=1,2,0", "home=1,2,nan", "home=1,2,inf", "a=b=1,2,3", String(repeating: "a", count: 33) + "=1,2,3",
        ])
    func refused(_ text: String) { #expect(Fence(text) == nil) }

    @Test("the location that was published last counts, and no event that is none of a location")
    func latest() throws {
        func event(_ sequence: Int64, _ subject: String, _ properties: [String: String]) -> Event {
            Event(
                sequence: sequence, source: .app, action: "a", subject: subject, properties: properties, time: "t",
                bootID: "b", bootTime: 1, synchronised: true)
        }
        let position = ["FIX": "2d", "LATITUDE": "1", "LONGITUDE": "2"]
        let kept = [
            event(3, "location", position), event(9, "location/fence/a", position), event(7, "location", ["FIX": "9d"]),
            event(5, "location", position), event(4, "location", ["FIX": "none"]),
        ]
        #expect(LocationReport.latest(in: kept)?.event.sequence == 5)
        #expect(LocationReport.latest(in: []) == nil && LocationReport.latest(in: [kept[1]]) == nil)
    }

    @Test("a report is rounded, and read again as it was written")
    func report() throws {
        var report = LocationReport(fix: .threeDimensional)
        (report.latitude, report.longitude, report.altitude) = (52.520_08, -0.000_4, 34.6)
        (report.error, report.speed, report.course) = (4.4, 5.1444, 45.5)
        (report.time, report.fences) = ("2026-11-26T10:11:12Z", ["depot", "home"])
        #expect(
            report.properties(decimals: 3) == [
                "FIX": "3d", "LATITUDE": "52.520", "LONGITUDE": "0.000", "ALTITUDE": "35", "ERROR": "4", "SPEED": "5.1",
                "COURSE": "46", "TIME": "2026-11-26T10:11:12Z", "FENCES": "depot home",
            ])
        #expect(report.properties(decimals: 0)["LATITUDE"] == "53")
        #expect(report.properties(decimals: 7)["LONGITUDE"] == "-0.0004000")
        let read = try #require(LocationReport(properties: report.properties(decimals: 5)))
        #expect(read.fix == .threeDimensional && read.latitude == 52.520_08 && read.fences == ["depot", "home"])
        for properties in [[:], ["FIX": "4d"], ["LATITUDE": "1"], ["FIX": "2d"], ["FIX": "3d", "LATITUDE": "1"]] {
            #expect(LocationReport(properties: properties) == nil)
        }
        for (latitude, longitude) in [("nan", "1"), ("1", "x"), ("91", "0"), ("0", "-181"), ("1e400", "0"), ("", "")] {
            for fix in ["2d", "3d", "stale"] {
                let properties = ["FIX": fix, "LATITUDE": latitude, "LONGITUDE": longitude]
                #expect(LocationReport(properties: properties) == nil, "\(properties)")
            }
        }
        #expect(LocationReport(properties: ["FIX": "none"])?.fix == LocationReport.Fix.none)
        #expect(LocationReport.decimal(.infinity, 1) == nil && LocationReport.decimal(1e300, 7) == nil)
        #expect(LocationReport.decimal(-0.05, 1) == "-0.1" && LocationReport.decimal(0.04, 1) == "0.0")
    }
}
