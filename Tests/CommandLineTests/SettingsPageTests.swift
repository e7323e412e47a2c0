import CleatAPI
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import Testing

@testable import cleat

/// Pages of settings that are read in place.
@Suite struct SettingsPageTests {
    typealias Reply = SettingsInterface.List.Reply

    static let values: [JSONValue] = [
        .bool(true), .bool(false), .integer(0), .integer(.max), .integer(.min), .number(0.5), .number(1e300), "",
        "plain", "quoted \" \\ \n \u{1} é \u{1F600}", [], [1, "a,b", ["]"]], [:], ["a": ["b": "}"], "c": [false]],
    ]

    /// Returns the message of a page, without its NUL.
    static func message(_ page: Reply, continues: Bool = true) -> ArraySlice<UInt8> {
        OutgoingMessage.reply(VarlinkReply(page), continues: continues).dropLast()
    }

    /// Returns the page as the general decoder reads it; nil if it is no page.
    static func decoded(_ message: ArraySlice<UInt8>) -> (page: Reply, continues: Bool)? {
        guard let reply = try? IncomingReply.decode(message, limits: .standard), reply.error == nil,
            let page = try? Reply(wire: reply.parameters)
        else { return nil }
        return (page, reply.continues)
    }

    static func samples(using random: inout SeededGenerator) -> [SettingInfo] {
        var samples: [SettingInfo] = []
        for members in 0..<64 {
            func has(_ bit: Int) -> Bool { members >> bit & 1 == 1 }
            for origin in SettingLayer.allCases {
                samples.append(
                    SettingInfo(
                        path: "app/\(members)/é", value: has(0) ? values.randomElement(using: &random) : nil,
                        withDefaults: has(1) ? values.randomElement(using: &random) : nil, origin: origin,
                        inForce: members % 3 == 0, inactive: has(2) ? "no \"schema\"" : nil,
                        secret: has(3) ? true : nil,
                        lock: has(4) ? SettingLayer.allCases.randomElement(using: &random) : nil,
                        pending: has(5) ? "id-1" : nil))
            }
        }
        return samples
    }

    @Test("Every combination of members is read in place, as the general decoder reads it")
    func all() throws {
        var random = SeededGenerator(seed: 1)
        let samples = Self.samples(using: &random)
        for count in [0, 1, 2, samples.count] {
            for (next, note) in [(nil, nil), ("a/b", nil), (nil, "a \"note\""), ("a", "b")] as [(String?, String?)] {
                for continues in [true, false] {
                    let page = Reply(
                        store: "s", generation: 7, settings: Array(samples.prefix(count)), next: next, note: note)
                    let message = Self.message(page, continues: continues)
                    let read = try #require(Reply.read(message))
                    #expect(read.continues == continues)
                    #expect(Self.message(read.reply) == Self.message(page))
                    let decoded = try #require(Self.decoded(message))
                    #expect(Self.message(decoded.page) == Self.message(page) && decoded.continues == continues)
                }
            }
        }
    }

    @Test(
        "What is written in another way is left to the general decoder",
        arguments: [
            "{\"error\":\"a.b.C\",\"parameters\":{}}", "", "{", "null", "{\"parameters\":{}}",
            "{\"parameters\":{\"store\":\"s\",\"generation\":1,\"settings\":[]}} ",
            "{\"parameters\":{\"generation\":1,\"store\":\"s\",\"settings\":[]}}",
            "{\"parameters\":{\"store\":\"s\",\"generation\":1.5,\"settings\":[]}}",
            "{\"parameters\":{\"store\":\"s\",\"generation\":1,\"settings\":[],\"later\":1}}",
            "{\"parameters\":{\"store\":\"s\",\"generation\":1,\"settings\":[{\"path\":\"a\",\"origin\":\"later\",\"in_force\":true}]}}",
            "{\"parameters\":{\"store\":\"s\",\"generation\":1,\"settings\":[{\"path\":\"a\",\"value\":null,\"origin\":\"vendor\",\"in_force\":true}]}}",
        ])
    func other(text: String) {
        #expect(Reply.read(ArraySlice(text.utf8)) == nil)
    }

    @Test(
        "A damaged page is never read as another one than the general decoder reads",
        arguments: TestMachine.seeds(3, briefly: 1))
    func damaged(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let samples = Self.samples(using: &random).shuffled(using: &random).prefix(3)
        let message = Array(Self.message(Reply(store: "s", generation: 7, settings: Array(samples), next: "n")))
        for end in message.indices { #expect(Reply.read(message[..<end]) == nil) }
        let bytes = Array("{}[]\",:0123456789tfn\\ \u{0}é".utf8) + [0xff, 0xc0]
        var taken = 0
        for _ in 0..<4_000 {
            var other = message
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let place = Int.random(in: other.indices, using: &random)
                let byte = bytes.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: other[place] = byte
                case 1: other.insert(byte, at: place)
                default: other.remove(at: place)
                }
            }
            guard let read = Reply.read(other[...]) else { continue }
            taken += 1
            let decoded = Self.decoded(other[...])
            #expect(decoded.map { Self.message($0.page) } == Self.message(read.reply))
            #expect(decoded?.continues == read.continues)
        }
        #expect(taken > 100, "most damage is inside of texts and numbers")
    }
}
