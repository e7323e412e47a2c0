// A replacement for FoundationEssentials with the parts that swift-argument-parser uses: the localised description of an
// error, and JSON for `--experimental-dump-help`. The whole module takes 5 MB of a static binary (it includes regular
// expressions, calendars, property lists and its collections) and half a millisecond at each start.
// A package that needs more of it does not compile; then build without the replacement (CLEAT_WHOLE_FOUNDATION=1).

/// An error that describes itself.
public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}

extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}

/// Bytes.
public struct Data: Sendable, Hashable {
    let bytes: [UInt8]
}

extension String {
    /// The encoding of a text in bytes.
    public struct Encoding: Sendable, Hashable {
        let name: StaticStringName
        enum StaticStringName: Sendable { case utf8 }
        public static var utf8: Encoding { Encoding(name: .utf8) }
    }

    public init?(data: Data, encoding: Encoding) {
        self.init(validating: data.bytes, as: UTF8.self)
    }
}

/// Writes a value as JSON.
public final class JSONEncoder {
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        public static let sortedKeys = OutputFormatting(rawValue: 2)
    }

    public var outputFormatting: OutputFormatting = []

    public init() {}

    public func encode<T: Encodable>(_ value: T) throws -> Data {
        let node = Node()
        try value.encode(to: Writer(node: node, codingPath: []))
        var text = ""
        node.write(to: &text, formatting: outputFormatting, depth: 0)
        return Data(bytes: Array(text.utf8))
    }
}

/// One value of the tree that is written.
final class Node {
    enum Content {
        case text(String)
        case array([Node])
        case object([(String, Node)])
    }

    var content = Content.text("null")

    func append() -> Node {
        let child = Node()
        if case .array(var elements) = content {
            content = .text("")
            elements.append(child)
            content = .array(elements)
        }
        return child
    }

    func member(_ name: String) -> Node {
        let child = Node()
        if case .object(var members) = content {
            content = .text("")
            members.removeAll { $0.0 == name }
            members.append((name, child))
            content = .object(members)
        }
        return child
    }

    func write(to text: inout String, formatting: JSONEncoder.OutputFormatting, depth: Int) {
        let pretty = formatting.contains(.prettyPrinted)
        func newLine(_ depth: Int) {
            guard pretty else { return }
            text += "\n"
            for _ in 0..<depth { text += "  " }
        }
        switch content {
        case .text(let literal):
            text += literal
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                newLine(depth + 1)
                element.write(to: &text, formatting: formatting, depth: depth + 1)
            }
            newLine(depth)
            text += "]"
        case .object(var members):
            if formatting.contains(.sortedKeys) { members.sort { $0.0 < $1.0 } }
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                newLine(depth + 1)
                text += Node.quoted(member.0) + (pretty ? " : " : ":")
                member.1.write(to: &text, formatting: formatting, depth: depth + 1)
            }
            newLine(depth)
            text += "}"
        }
    }

    static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

struct Writer: Encoder {
    let node: Node
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = node.content {} else { node.content = .object([]) }
        return KeyedEncodingContainer(Members<Key>(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = node.content {} else { node.content = .array([]) }
        return Elements(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node, codingPath: codingPath) }
}

struct Single: SingleValueEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil() throws { node.content = .text("null") }
    func encode(_ value: Bool) throws { node.content = .text(value ? "true" : "false") }
    func encode(_ value: String) throws { node.content = .text(Node.quoted(value)) }

    func encode<T: Encodable>(_ value: T) throws {
        if let number = value as? any FixedWidthInteger & Encodable {
            node.content = .text(String(describing: number))
        } else if let number = value as? Double {
            guard number.isFinite else { throw unwritable(number) }
            node.content = .text("\(number)")
        } else if let number = value as? Float {
            guard number.isFinite else { throw unwritable(number) }
            node.content = .text("\(number)")
        } else if let string = value as? String {
            try encode(string)
        } else if let flag = value as? Bool {
            try encode(flag)
        } else {
            try value.encode(to: Writer(node: node, codingPath: codingPath))
        }
    }

    private func unwritable(_ value: Any) -> EncodingError {
        .invalidValue(value, .init(codingPath: codingPath, debugDescription: "JSON has no number for it"))
    }
}

struct Elements: UnkeyedEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    var count: Int {
        if case .array(let elements) = node.content { elements.count } else { 0 }
    }

    func encodeNil() throws { _ = node.append() }
    func encode<T: Encodable>(_ value: T) throws {
        try Single(node: node.append(), codingPath: codingPath).encode(value)
    }
    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        Writer(node: node.append(), codingPath: codingPath).container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        Writer(node: node.append(), codingPath: codingPath).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { Writer(node: node.append(), codingPath: codingPath) }
}

struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) throws { _ = node.member(key.stringValue) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try Single(node: node.member(key.stringValue), codingPath: codingPath + [key]).encode(value)
    }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        Writer(node: node.member(key.stringValue), codingPath: codingPath + [key]).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        Writer(node: node.member(key.stringValue), codingPath: codingPath + [key]).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { Writer(node: node.member("super"), codingPath: codingPath) }
    func superEncoder(forKey key: Key) -> any Encoder {
        Writer(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }
}
