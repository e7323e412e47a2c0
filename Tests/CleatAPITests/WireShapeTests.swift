import CleatAPI
import CleatJSON
import CleatSettings
import CleatVarlink
import Testing

/// The methods of all interfaces.
private let methods: [any APIMethod.Type] = APIInterfaces.all.flatMap { $0.methods }

/// Values of the types of an interface, made from its description alone.
private struct Samples {
    let description: InterfaceDescription

    /// Returns objects with all members, with the required ones only, and with each further value of each member.
    func objects(_ fields: [VarlinkField]) -> [JSONObject] {
        let values = fields.map { self.values($0.type) }
        var all = JSONObject()
        var bare = JSONObject()
        for (field, values) in zip(fields, values) {
            all[field.name] = values[0]
            if !field.type.isOptional { bare[field.name] = values[0] }
        }
        var objects = [all, bare]
        for (field, values) in zip(fields, values) {
            for value in values.dropFirst() {
                var object = all
                object[field.name] = value
                objects.append(object)
            }
        }
        return objects
    }

    private func values(_ type: VarlinkType) -> [JSONValue] {
        switch type {
        case .bool: [true, false]
        case .int: [5, .integer(Int64(Int.max))]
        case .float: [2.5]
        case .string: ["x", "", "\"\\\n\u{1}é"]
        case .object: [["a": [1, 2.5, .null]], "x", 4]
        case .named(let name): description.types[name].map(values) ?? []
        case .structure(let fields): objects(fields).map(JSONValue.object)
        case .enumeration(let choices): choices.map { .string($0.name) }
        case .array(let element): [.array(values(element)), []]
        case .dictionary: [["A": "1", "Z": "\"", "ä\\": "3"], [:]]
        case .optional(let wrapped): values(wrapped)
        }
    }
}

/// Returns a value with one fault at each of its places: a value of another type, an unknown word, a missing member.
private func damaged(_ value: JSONValue) -> [JSONValue] {
    var results: [JSONValue] = [[true], .null, "no such word", 1.5]
    switch value {
    case .object(let object):
        for (key, inner) in object {
            var other = object
            other[key] = nil
            results.append(.object(other))
            for inner in damaged(inner) {
                other = object
                other[key] = inner
                results.append(.object(other))
            }
        }
    case .array(let values):
        for (index, inner) in values.enumerated().prefix(2) {
            for inner in damaged(inner) {
                var other = values
                other[index] = inner
                results.append(.array(other))
            }
        }
    default: break
    }
    return results
}

@Suite struct WireShapeTests {
    private static let descriptions = Result {
        try APIInterfaces.all.map { interface throws in try InterfaceDescription(interface.idl) }
    }

    private static func description(of method: any APIMethod.Type) throws -> (InterfaceDescription, VarlinkMethod) {
        let description = try #require(descriptions.get().first { method.name.hasPrefix($0.name + ".") })
        let short = String(method.name.dropFirst(description.name.count + 1))
        return (description, try #require(description.methods[short]))
    }

    /// Checks that values pass the codec unchanged, with their members in the declared order.
    private static func roundTrip<Value: WireValue>(_ type: Value.Type, _ objects: [JSONObject]) throws {
        for object in objects {
            let value = try Value(wire: object)
            // Through the text, too: that is what is sent.
            let text = JSONWriter.write(.object(value.wire), style: .compact)
            #expect(text == JSONWriter.write(.object(object), style: .compact))
            #expect(try Value(wire: JSONReader.read(text).objectValue ?? [:]) == value)
            var extended = object
            extended["unknown_member"] = 1
            #expect(try Value(wire: extended) == value)
        }
    }

    /// Checks that the codec refuses exactly what the description refuses, and names the same member.
    private static func refusals<Value: WireValue>(
        _ type: Value.Type, _ object: JSONObject, _ fault: (JSONObject) -> String?
    ) throws {
        for case .object(let object) in damaged(.object(object)) {
            let wanted = fault(object)
            do throws(WireError) {
                _ = try Value(wire: object)
                #expect(wanted == nil, "\(object)")
            } catch {
                #expect(error.member == wanted, "\(object)")
            }
        }
    }

    @Test(arguments: methods.map { $0.name }) func fitsItsDescription(_ name: String) throws {
        let method = try #require(methods.first { $0.name == name })
        func check<Method: APIMethod>(_ method: Method.Type) throws {
            let (description, declaration) = try Self.description(of: method)
            let samples = Samples(description: description)
            let parameters = samples.objects(declaration.parameters)
            let replies = samples.objects(declaration.reply)
            for object in parameters { #expect(description.validate(object, of: declaration.name) == nil) }
            for object in replies { #expect(description.mismatch(reply: object, of: declaration.name) == nil) }
            try Self.roundTrip(Method.Parameters.self, parameters)
            try Self.roundTrip(Method.Reply.self, replies)
            try Self.refusals(Method.Parameters.self, parameters[0]) { object in
                description.validate(object, of: declaration.name)?.parameters["parameter"]?.stringValue
            }
            try Self.refusals(Method.Reply.self, replies[0]) {
                description.mismatch(reply: $0, of: declaration.name)
            }
        }
        try check(method)
    }

    @Test func everyMethodHasItsType() throws {
        for interface in APIInterfaces.all {
            let declared = try InterfaceDescription(interface.idl).members.compactMap { member in
                if case .method(let method) = member { "\(interface.name).\(method.name)" } else { nil }
            }
            #expect(interface.methods.map { $0.name } == declared)
        }
    }

    @Test func absentIsLeftOut() {
        let bare = SettingInfo(path: "display/splash", origin: .schemaDefault, inForce: false)
        let json = JSONWriter.write(.object(bare.wire), style: .compact)
        #expect(json == #"{"path":"display/splash","origin":"schema_default","in_force":false}"#)
    }

    @Test func propertiesAreSorted() {
        let match = HookMatch(source: "device", properties: ["Z": "1", "A": "2", "ä": "3"])
        #expect("\(match.wire)" == #"{"source":"device","properties":{"A":"2","Z":"1","ä":"3"}}"#)
    }

    @Test(arguments: [Int64.min, -1]) func rangesAreChecked(_ number: Int64) {
        func member(_ read: () throws(WireError) -> Void) -> String? {
            do throws(WireError) { try read() } catch { return error.member }
            return nil
        }
        let offset = JSONValue.integer(number)
        #expect(
            member { () throws(WireError) in
                _ = try SnapshotsInterface.Show.Parameters(wire: ["name": "n", "offset": offset])
            }
                == "offset")
        #expect(
            member { () throws(WireError) in
                _ = try FilesInterface.Read.Parameters(wire: ["area": "a", "path": "p", "offset": offset])
            } == "offset")
        #expect(
            member { () throws(WireError) in _ = try SettingsInterface.Log.Parameters(wire: ["limit": offset]) }
                == "limit")
        #expect(
            member { () throws(WireError) in
                _ = try FilesInterface.List.Parameters(wire: ["area": "a", "limit": 0])
            } == "limit")
    }
}
