import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// Every integer that a client can send, at its extremes.
@Suite("Integers of the wire at their extremes", .tags(.fault), .serialized)
struct WireExtremesTests {
    /// Extremes of 64, 53, 32 and 16 bits, and their neighbours.
    private static let extremes: [Int64] = [
        .min, .min + 1, -(1 << 53), 1 - (1 << 53), -(1 << 31) - 1, -(1 << 31), -1, 0, 1, 65_535, (1 << 31) - 1, 1 << 31,
        1 << 32, (1 << 53) - 1, 1 << 53, .max - 1, .max,
    ]

    /// Values for members that a method must have, so that a call comes further than to their absence.
    private static let usual: [String: JSONValue] = [
        "path": "system/hostname", "area": "documents", "source": "link", "action": "up", "subject": "eth0",
        "name": "one",
        "probe": "link:lo", "data": "", "file": "one",
        "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ]

    /// The position of an integer in a method's parameters: names of members, and an empty name for the element of a
    /// list.
    private typealias Place = [String]

    private static func places(_ fields: [VarlinkField], in description: InterfaceDescription) -> [Place] {
        fields.flatMap { field in places(field.type, in: description).map { [field.name] + $0 } }
    }

    private static func places(_ type: VarlinkType, in description: InterfaceDescription) -> [Place] {
        switch type {
        case .int: [[]]
        case .optional(let wrapped): places(wrapped, in: description)
        case .array(let element), .dictionary(let element): places(element, in: description).map { [""] + $0 }
        case .structure(let fields): places(fields, in: description)
        case .named(let name): description.types[name].map { places($0, in: description) } ?? []
        case .bool, .float, .string, .object, .enumeration: []
        }
    }

    /// An object with all members that it must have, and with the number at its place.
    private static func object(
        _ fields: [VarlinkField], in description: InterfaceDescription, _ number: Int64, at place: Place?
    ) -> JSONObject {
        var object = JSONObject()
        for field in fields {
            let inner = place.flatMap { $0.first == field.name ? Array($0.dropFirst()) : nil }
            guard inner != nil || !field.type.isOptional else { continue }
            object[field.name] = value(field.type, named: field.name, in: description, number, at: inner)
        }
        return object
    }

    private static func value(
        _ type: VarlinkType, named name: String, in description: InterfaceDescription, _ number: Int64, at place: Place?
    ) -> JSONValue {
        switch type {
        case .bool: false
        case .int: .integer(place == nil ? 1 : number)
        case .float: 1
        case .string: usual[name] ?? "x"
        case .object: "pump-7"
        case .enumeration(let choices): .string(choices.first?.name ?? "")
        case .optional(let wrapped): value(wrapped, named: name, in: description, number, at: place)
        case .structure(let fields): .object(object(fields, in: description, number, at: place))
        case .array(let element):
            place == nil
                ? [] : [value(element, named: name, in: description, number, at: place.map { Array($0.dropFirst()) })]
        case .dictionary(let element):
            place == nil
                ? [:]
                : ["x": value(element, named: name, in: description, number, at: place.map { Array($0.dropFirst()) })]
        case .named(let declared):
            description.types[declared].map { value($0, named: name, in: description, number, at: place) } ?? .null
        }
    }

    /// Sends a call that may be answered more than once, and takes the first answer where one comes at once.
    private static func send(
        _ method: String, _ parameters: JSONObject, more: Bool, to agent: RunningAgent
    ) async throws -> [UInt8] {
        let stream = try await agent.connectPlainly()
        defer { stream.close() }
        let call: JSONObject = ["method": .string(method), "parameters": .object(parameters), "more": .bool(more)]
        try await stream.write(Array(JSONWriter.write(.object(call)).utf8) + [0])
        if more { return [] }
        return try await agent.board.loop.withDeadline(Board.patience) {
            var answer: [UInt8] = []
            while !answer.contains(0) {
                let bytes = try await stream.read(upTo: 1 << 16)
                if bytes.isEmpty { break }
                answer += bytes
            }
            return answer
        }
    }

    @Test("Each is answered or refused, and the service continues", arguments: [false, true])
    func all(more: Bool) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "first"])
            try await agent.set(["system/hostname": "second"])
            let instance = try await agent.status().instance
            let names = try await agent.call("org.varlink.service.GetInfo")["interfaces"]?.arrayValue ?? []
            var count = 0
            for name in names.compactMap(\.stringValue) {
                let text = try await agent.call(
                    "org.varlink.service.GetInterfaceDescription", ["interface": .string(name)])
                let description = try InterfaceDescription(#require(text["description"]?.stringValue))
                for method in description.methods.values.sorted(by: { $0.name < $1.name }) {
                    for place in Self.places(method.parameters, in: description) {
                        for number in Self.extremes {
                            let parameters = Self.object(method.parameters, in: description, number, at: place)
                            let note: Comment = "\(name).\(method.name) \(JSONWriter.write(.object(parameters)))"
                            let answer = try await Self.send(
                                "\(name).\(method.name)", parameters, more: more, to: agent)
                            #expect(more || answer.last == 0, note)
                            // Whatever the call has started does not keep the next ones from coming as far.
                            if let id = try await agent.status().trial?.id {
                                _ = try await agent.call("dev.cleat.Transactions.Abort", ["id": .string(id)])
                            }
                            count += 1
                        }
                    }
                }
            }
            #expect(count > 20 * Self.extremes.count, "only \(count) calls were made")
            #expect(try await agent.status().instance == instance)
            #expect(try await agent.stop().status == .exited(0))
        }
    }

    @Test(
        "A signal that kills the service leaves a line in its log",
        arguments: [(4, "SIGILL"), (6, "SIGABRT"), (11, "SIGSEGV")] as [(Int32, String)])
    func fatal(number: Int32, name: String) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let end = try await agent.stop(Signal(rawValue: number))
            #expect(end.status != .exited(0))
            let line = end.outputText.split(separator: "\n").last
            #expect(line?.hasPrefix("CRITICAL killed by \(name) at 0x") == true, "\(end.outputText.suffix(400))")
        }
    }
}
