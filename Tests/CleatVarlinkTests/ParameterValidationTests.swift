import CleatJSON
import Testing

@testable import CleatVarlink

@Suite struct ParameterValidationTests {
    let interface = InterfaceDescription(constant: exampleText)

    static let good = [
        "{}", #"{"flag":true}"#, #"{"flag":null}"#, #"{"whole":3}"#, #"{"whole":-9223372036854775808}"#,
        #"{"whole":3.0}"#, #"{"real":3}"#, #"{"real":3.5}"#, #"{"text":""}"#, #"{"any":null}"#,
        #"{"any":[1,{"a":null}]}"#,
        #"{"any":"x"}"#, #"{"colour":"red"}"#, #"{"choice":"two"}"#, #"{"item":{"name":"a"}}"#,
        #"{"item":{"name":"a","size":null}}"#, #"{"items":[]}"#, #"{"items":[{"size":1,"name":"a"},{"name":"b"}]}"#,
        #"{"map":{}}"#, #"{"map":{"a":1,"":2}}"#, #"{"nested":{"a":[null,{"name":"x"}]}}"#,
        #"{"inner":{"deep":[null,1,"a",[]]}}"#,
    ]

    @Test(arguments: good) func accepts(_ parameters: String) throws {
        let object = try #require(try JSONReader.read(parameters).objectValue)
        #expect(interface.validate(object, of: "Typed") == nil)
    }

    static let bad = [
        (#"{"flag":1}"#, "flag"), (#"{"flag":"true"}"#, "flag"), (#"{"whole":3.5}"#, "whole"),
        (#"{"whole":"3"}"#, "whole"), (#"{"whole":9223372036854775808}"#, "whole"), (#"{"whole":true}"#, "whole"),
        (#"{"real":"3"}"#, "real"), (#"{"text":3}"#, "text"), (#"{"text":[]}"#, "text"),
        (#"{"colour":"blue"}"#, "colour"),
        (#"{"colour":1}"#, "colour"), (#"{"choice":"three"}"#, "choice"), (#"{"item":[]}"#, "item"),
        (#"{"item":{}}"#, "item.name"), (#"{"item":{"name":null}}"#, "item.name"),
        (#"{"item":{"name":"a","colour":"red"}}"#, "item.colour"), (#"{"items":{}}"#, "items"),
        (#"{"items":[{"name":"a"},{"name":2}]}"#, "items[1].name"), (#"{"items":[null]}"#, "items[0]"),
        (#"{"map":{"a":1,"b":"2"}}"#, "map.b"), (#"{"map":[]}"#, "map"),
        (#"{"nested":{"a":[{"name":"x","y":1}]}}"#, "nested.a[0].y"), (#"{"inner":{}}"#, "inner.deep"),
        (#"{"inner":{"deep":null}}"#, "inner.deep"), (#"{"unknown":1}"#, "unknown"), (#"{"unknown":null}"#, "unknown"),
        (#"{"flag":1,"unknown":1}"#, "unknown"), (#"{"Flag":true}"#, "Flag"),
    ]

    @Test(arguments: bad) func names(_ parameters: String, _ wrong: String) throws {
        let object = try #require(try JSONReader.read(parameters).objectValue)
        #expect(interface.validate(object, of: "Typed") == .invalidParameter(wrong))
    }

    @Test func namesWhatIsMissing() {
        #expect(interface.validate([:], of: "Echo") == .invalidParameter("text"))
        #expect(interface.validate(["text": .null], of: "Echo") == .invalidParameter("text"))
        // A name that is misspelt says more than the one that is missing.
        #expect(interface.validate(["txt": "a"], of: "Echo") == .invalidParameter("txt"))
        #expect(interface.validate([:], of: "Nope") == .methodNotFound("dev.test.Example.Nope"))
    }

    @Test func checksRepliesAndErrors() {
        #expect(interface.mismatch(reply: ["text": "a"], of: "Echo") == nil)
        #expect(interface.mismatch(reply: ["text": 1], of: "Echo") == "text")
        #expect(interface.mismatch(reply: [:], of: "Nope") == "Nope")
        #expect(interface.mismatch(error: VarlinkError("dev.test.Example.Broken", ["reason": "x"])) == nil)
        #expect(interface.mismatch(error: VarlinkError("dev.test.Example.Broken", [:])) == "reason")
        #expect(interface.mismatch(error: VarlinkError("dev.test.Example.Nope", [:])) == "dev.test.Example.Nope")
        #expect(interface.mismatch(error: VarlinkError("dev.other.Broken", [:])) == "dev.other.Broken")
        #expect(interface.mismatch(error: VarlinkError("Broken", [:])) == "Broken")
    }
}
