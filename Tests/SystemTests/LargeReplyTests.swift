import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import Testing

@Suite("Replies that would not fit into a message", .serialized)
struct LargeReplyTests {
    /// Changes of about 600 KB, or as many as asked for.
    private static func changes(_ round: Int, count: Int = 3_000) -> [String: JSONValue?] {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map { number in
                let servers = (0..<8).map { JSONValue.string("2001:db8:\(round):\(number)::\($0)") }
                return ("network/interfaces/if\(number)/dns", .array(servers))
            })
    }

    @Test("A commit that replaces large values is reported as done, and history is read to its beginning")
    func large() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "first"])
            try await agent.set(Self.changes(1))
            let second = try await agent.set(Self.changes(2), id: "second")
            #expect(second.state == .confirmed)
            let omitted = try #require(second.omitted)
            #expect(omitted > 0 && second.changes.count + omitted == 3_000)
            #expect(try await agent.set(Self.changes(2), id: "second").state == .repeated)

            let connection = try await agent.connect()
            defer { connection.close() }
            var before: Int64?
            var numbers: [Int64] = []
            repeat {
                let page = try await connection.call(
                    SettingsInterface.Log.self, .init(before: before, limit: 10))
                for generation in page.generations {
                    numbers.append(generation.number)
                    let count = generation.changes.count + (generation.omitted ?? 0)
                    #expect(count == (generation.number == 1 ? 1 : 3_000))
                }
                before = page.next
            } while before != nil
            #expect(numbers == [3, 2, 1])

            let difference = try await connection.call(SettingsInterface.Diff.self, .init(from: 2, to: 3))
            #expect(difference.changes.count + (difference.omitted ?? 0) == 3_000)
        }
    }

    @Test("A group of thousands of settings is shown as long as it fits, and refused beyond; its settings are answered")
    func group() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(Self.changes(1, count: 1_500))
            let connection = try await agent.connect()
            defer { connection.close() }
            let path = "network/interfaces"
            let shown = try await connection.call(SettingsInterface.Get.self, .init(path: path))
            #expect(!shown.leaf && shown.setting.value?.objectValue?.count == 1_500)
            #expect(shown.setting.value?["if1499"]?["dns"]?.arrayValue?.count == 8)
            let one = try await connection.call(SettingsInterface.Get.self, .init(path: "\(path)/if7/dns"))
            #expect(one.leaf && one.setting.value?.arrayValue?.count == 8)
            // With twice as many, neither the value in force, with defaults and without, nor all layers fit.
            try await agent.set(Self.changes(1))
            let get = await #expect(throws: (any Error).self) {
                _ = try await connection.call(SettingsInterface.Get.self, .init(path: path))
            }
            let why = await #expect(throws: (any Error).self) {
                _ = try await connection.call(SettingsInterface.Why.self, .init(path: path))
            }
            for error in [get, why] {
                #expect("\(String(describing: error))".contains("exceed the size of one reply"))
            }
            let group = try await connection.call(SettingsInterface.Why.self, .init(path: "\(path)/if7"))
            #expect(group.layers.first?.value?["dns"]?.arrayValue?.count == 8 && group.unset == nil)
            let unknown = await #expect(throws: (any Error).self) {
                _ = try await connection.call(SettingsInterface.Get.self, .init(path: "nothing/\(path)"))
            }
            #expect("\(String(describing: unknown))".contains("is not a setting"))
        }
    }
}
