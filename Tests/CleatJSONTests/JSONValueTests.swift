import CleatJSON
import Testing

@Suite("JSON value")
struct JSONValueTests {
    @Test("Integers and numbers that are equal are one value")
    func numbers() {
        #expect(JSONValue.integer(1) == .number(1))
        #expect(JSONValue.number(-0.0) == .integer(0))
        #expect(Set([JSONValue.integer(1), .number(1), .number(1.5)]).count == 2)
        // The nearest double of the largest integer is one more than it.
        #expect(JSONValue.integer(.max) != .number(0x1p63))
        #expect(JSONValue.integer(9_007_199_254_740_993) != .number(9_007_199_254_740_992))
        #expect(JSONValue.integer(1) != .string("1"))
        #expect(JSONValue.bool(true) != .integer(1))
    }

    @Test("Strings and keys are compared by their bytes")
    func bytes() {
        #expect(JSONValue.string("\u{e9}") != .string("e\u{301}"))
        let object: JSONObject = ["\u{e9}": 1, "e\u{301}": 2]
        #expect(object.count == 2)
        #expect(object["\u{e9}"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test("Objects are equal in whatever order, and keep theirs")
    func order() {
        let left: JSONValue = ["a": 1, "b": [2], "c": ["d": .null]]
        let right: JSONValue = ["c": ["d": .null], "b": [2], "a": 1.0]
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left.description != right.description)
        #expect(left != ["a": 1, "b": [2], "c": ["d": 0]])
        #expect(left != ["a": 1, "b": [2], "x": ["d": .null]])
        #expect(left != ["a": 1, "b": [2]])
    }

    @Test("Accessors answer for their own kind only")
    func accessors() {
        #expect(JSONValue.number(2).integerValue == 2 && JSONValue.number(2.5).integerValue == nil)
        #expect(JSONValue.number(0x1p63).integerValue == nil && JSONValue.number(-0x1p63).integerValue == .min)
        #expect(JSONValue.number(.infinity).integerValue == nil && JSONValue.number(.nan).integerValue == nil)
        #expect(JSONValue.integer(2).doubleValue == 2 && JSONValue.string("2").doubleValue == nil)
        #expect(JSONValue.bool(true).boolValue == true && JSONValue.integer(1).boolValue == nil)
        #expect(JSONValue.null.isNull && !JSONValue.bool(false).isNull)
        #expect(JSONValue.array([1])[0] == 1 && JSONValue.array([1])[1] == nil && JSONValue.array([1])[-1] == nil)
        #expect(JSONValue.object(["a": 1])["a"] == 1 && JSONValue.null["a"] == nil && JSONValue.null[0] == nil)
        #expect(JSONValue.number(1).typeName == "integer" && JSONValue.number(1.5).typeName == "number")
    }

    @Test(
        "An object behaves like a list of members, small and large",
        arguments: [1, 2, 15, 16, 17, 18, 24, 25, 100, 1000])
    func objects(count: Int) {
        var object = JSONObject()
        for number in 0..<count { object["k\(number)"] = .integer(Int64(number)) }
        #expect(object.count == count)
        #expect(Array(object.keys) == (0..<count).map { "k\($0)" })
        for number in 0..<count { #expect(object["k\(number)"] == .integer(Int64(number))) }
        #expect(object["k\(count)"] == nil)

        object["k0"] = "again"
        #expect(object.count == count && object[0].key == "k0" && object["k0"] == "again")
        #expect(object.removeValue(forKey: "k\(count / 2)") != nil)
        #expect(object.removeValue(forKey: "k\(count / 2)") == nil)
        #expect(object.count == count - 1)
        for number in 0..<count where number != count / 2 { #expect(object["k\(number)"] != nil) }

        var copy = object
        copy["new"] = .null
        #expect(copy.count == count && object["new"] == nil && copy["new"] == .null)
        copy["new"] = nil
        #expect(copy == object)
        copy.sortByKey()
        #expect(copy == object)
        #expect(Array(copy.keys) == object.keys.sorted())
        for key in object.keys { #expect(copy[key] == object[key]) }
    }

    @Test("Of two members with one key the later is used, at the position of the earlier")
    func laterCounts() {
        let object = JSONObject([("a", 1), ("b", 2), ("a", 3)])
        #expect(object.description == "{\"a\":3,\"b\":2}")
    }
}
