import Cleat
import CleatEmbedded
import Testing

@Suite struct CheckTests {
    private func problems(_ check: (Cleat) async throws -> Void) async throws -> [CleatError.Problem] {
        let cleat = try await Cleat.inMemory(schemas: [lampSchema])
        do {
            try await check(cleat)
            return []
        } catch let error as CleatError {
            #expect(error.code == .mismatch)
            return error.problems
        }
    }

    @Test func takesKeysThatFit() async throws {
        let found = try await problems {
            try await $0.check(.brightness, .volume, .scenes, .label, .mode, .colour, .hostname, .ntpServers, .logLevel)
        }
        #expect(found == [])
        let interfaces = try await problems { try await $0.check(.networkInterfaces, try .networkInterface("eth0")) }
        #expect(interfaces == [])
        let none = try await problems { try await $0.check() }
        #expect(none == [])
    }

    @Test func reportsAllMismatchesAtOnce() async throws {
        let found = try await problems {
            try await $0.check(
                SettingKey<Int>("lamp/brightnes", default: 1), SettingKey<String>("lamp/brightness", default: "dim"),
                .volume, SettingKey<Int>("lamp/brightness", default: 101),
                SettingKey<Mode>("lamp/label", default: .steady))
        }
        #expect(found.map(\.path) == ["lamp/brightnes", "lamp/brightness", "lamp/brightness", "lamp/label"])
        #expect(found.first?.reason.contains("lamp/brightness") == true)
        #expect(found.dropFirst().first?.code == "type")
        #expect(found.dropFirst(2).first?.code == "maximum")
    }

    private enum Steady: String, Codable { case steady }

    @Test func reportsTypesThatCannotReadWhatTheBoardMayHold() async throws {
        let cases: [(String, (Cleat) async throws -> Void)] = [
            ("an optional integer for a string", { try await $0.check(SettingKey<Int?>("lamp/label")) }),
            ("whole numbers for fractions", { try await $0.check(SettingKey<Int?>("lamp/volume")) }),
            (
                "a list of integers for one of strings",
                { try await $0.check(SettingKey<[Int]>("lamp/scenes", default: [])) }
            ),
            (
                "an enumeration with fewer cases",
                { try await $0.check(SettingKey<Steady>("lamp/mode", default: .steady)) }
            ),
            ("an enumeration for any string", { try await $0.check(SettingKey<Mode>("lamp/label", default: .steady)) }),
            ("a value for a group", { try await $0.check(SettingKey<Int>("lamp/colour", default: 0)) }),
            ("a string for a group", { try await $0.check(SettingKey<String?>("lamp/colour")) }),
        ]
        for (name, check) in cases {
            let found = try await problems(check)
            #expect(found.map(\.code) == ["type"], "\(name): \(found)")
        }
    }

    @Test func reportsMembersThatTheBoardDoesNotKnow() async throws {
        struct Wide: Codable, Sendable {
            var red = 1
            var purple = 2
        }
        let found = try await problems { try await $0.check(SettingKey<Wide>("lamp/colour", default: Wide())) }
        #expect(found.map(\.path) == ["lamp/colour/purple"])
    }
}
