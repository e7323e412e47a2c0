import CleatJSON
import Testing

@testable import CleatVarlink

@Suite struct MessageTests {
    static func decode(_ text: String, limits: VarlinkLimits = .standard) -> IncomingCall.Decoded {
        IncomingCall.decode(ArraySlice(Array(text.utf8)), limits: limits)
    }

    @Test(arguments: [
        (#"{"method":"a.B"}"#, IncomingCall(method: "a.B", parameters: [:], more: false, oneway: false)),
        (
            #"{"more":true,"parameters":{"x":[1]},"method":"a.B"}"#,
            IncomingCall(method: "a.B", parameters: ["x": [1]], more: true, oneway: false)
        ),
        (
            #" { "method" : "a.B" , "oneway" : true , "more": false, "upgrade": false } "#,
            IncomingCall(method: "a.B", parameters: [:], more: false, oneway: true)
        ),
        (
            #"{"method":"a.B","parameters":null,"more":null,"oneway":null,"upgrade":null}"#,
            IncomingCall(method: "a.B", parameters: [:], more: false, oneway: false)
        ),
    ]) func readsCalls(_ text: String, _ call: IncomingCall) { #expect(Self.decode(text) == .call(call)) }

    @Test(arguments: [
        (#"{"method":"a.B","upgrade":true}"#, "upgrade", false),
        (#"{"method":"a.B","upgrade":true,"oneway":true}"#, "upgrade", true),
        (#"{"method":"a.B","more":true,"oneway":true}"#, "oneway", true),
        (#"{"method":"a.B","timeout":1}"#, "timeout", false), (#"{"method":"a.B","Method":1}"#, "Method", false),
        (#"{"method":"a.B","continues":true,"oneway":true}"#, "continues", true),
    ]) func refusesByName(_ text: String, _ member: String, _ oneway: Bool) {
        #expect(Self.decode(text) == .refused(.invalidParameter(member), oneway: oneway))
    }

    static let malformed = [
        "x", "{", "[]", "null", "3", "\"a\"", "{}", #"{"parameters":{}}"#, #"{"method":null}"#, #"{"method":3}"#,
        #"{"method":"a.B","parameters":[]}"#, #"{"method":"a.B","parameters":"{}"}"#, #"{"method":"a.B","more":1}"#,
        #"{"method":"a.B","oneway":"true"}"#, #"{"method":"a.B","upgrade":{}}"#, #"{"method":"a.B"}}"#,
        #"{"method":"a.B","method":"a.C"}"#, "{\"method\":\"a.\u{1}\"}", #"{"method":"a.B",}"#,
        "{\"method\":\"a.B\",\"parameters\":{\"a\":" + String(repeating: "[", count: 100)
            + String(repeating: "]", count: 100) + "}}",
    ]

    @Test(arguments: malformed) func isNoCall(_ text: String) {
        guard case .malformed(let reason) = Self.decode(text) else {
            Issue.record("\(text) was read as a call")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func isNoTextEither() {
        guard case .malformed = IncomingCall.decode([0x7B, 0xFF, 0xFE, 0x7D], limits: .standard) else {
            Issue.record("bytes that are no UTF-8 were read as a call")
            return
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func writesMessages() {
        #expect(text(OutgoingMessage.reply([:])) == "{\"parameters\":{}}\0")
        #expect(
            text(OutgoingMessage.reply(["a": 1], continues: true)) == "{\"parameters\":{\"a\":1},\"continues\":true}\0")
        #expect(
            text(OutgoingMessage.error(.invalidParameter("x\"y")))
                == "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"x\\\"y\"}}\0")
        #expect(text(OutgoingMessage.call("a.B", [:])) == "{\"method\":\"a.B\",\"parameters\":{}}\0")
        #expect(
            text(OutgoingMessage.call("a.B", ["c": .null], more: true))
                == "{\"method\":\"a.B\",\"parameters\":{\"c\":null},\"more\":true}\0")
        // A NUL inside a value is escaped, so that it cannot end the message.
        #expect(!OutgoingMessage.reply(["a": "x\0y"]).dropLast().contains(0))
    }

    static let replies: [(String, JSONObject, Bool, String?)] = [
        ("{}", [:], false, nil), (#"{"parameters":{"a":1}}"#, ["a": 1], false, nil),
        (#"{"parameters":{},"continues":true}"#, [:], true, nil), (#"{"error":"a.B"}"#, [:], false, "a.B"),
        (#"{"error":"a.B","parameters":{"x":1},"continues":true,"new":1}"#, ["x": 1], false, "a.B"),
    ]

    @Test(arguments: replies) func readsReplies(
        _ text: String, _ parameters: JSONObject, _ continues: Bool, _ error: String?
    ) throws {
        let reply = try IncomingReply.decode(ArraySlice(Array(text.utf8)), limits: .standard)
        #expect(reply.parameters == parameters)
        #expect(reply.continues == continues)
        #expect(reply.error?.name == error)
    }

    @Test(arguments: ["x", "[]", #"{"parameters":1}"#, #"{"continues":1}"#, #"{"error":1}"#]) func isNoReply(
        _ text: String
    ) {
        let error = #expect(throws: VarlinkClientError.self) {
            try IncomingReply.decode(ArraySlice(Array(text.utf8)), limits: .standard)
        }
        #expect(error?.code == .protocolViolation)
    }

    @Test(arguments: [
        ("a.b.C", "a.b", "C"), ("a.C", "a", "C"), ("C", nil, nil), ("", nil, nil), (".C", nil, nil), ("a.", nil, nil),
        (".", nil, nil), ("ä.ö", "ä", "ö"),
    ]) func takesNamesApart(_ text: String, _ interface: String?, _ member: String?) {
        #expect(QualifiedName(text)?.interface == interface)
        #expect(QualifiedName(text)?.member == member)
    }
}
