public import CleatJSON

/// The control that a form shows for a setting.
public indirect enum RowKind: Hashable, Sendable {
    /// A switch: true or false.
    case toggle
    /// A number, with its range and unit.
    case number(NumberRange)
    /// One of the listed values.
    case choice([JSONValue])
    /// A text, or a setting of several types, which is edited as text.
    case text
    /// A secret, whose value is not shown.
    case secret
    /// A list of elements of one kind.
    case list(of: RowKind)
    /// A group of settings or a map, with rows of its own.
    case group

    /// The numbers that a setting accepts.
    public struct NumberRange: Hashable, Sendable {
        /// The smallest valid number; nil if there is none, or if the limit itself is not valid.
        public let minimum: JSONValue?
        /// The largest valid number; nil if there is none, or if the limit itself is not valid.
        public let maximum: JSONValue?
        /// The number that valid numbers are multiples of; nil if there is none.
        public let step: JSONValue?
        /// The unit for users, from the keyword `x-unit`; nil if there is none.
        public let unit: String?
        /// True if only whole numbers are valid.
        public let isWhole: Bool
    }

    /// The name of the kind in JSON.
    public var name: String {
        switch self {
        case .toggle: "switch"
        case .number: "number"
        case .choice: "choice"
        case .text: "text"
        case .secret: "secret"
        case .list: "list"
        case .group: "group"
        }
    }

    /// Returns the kind of a setting with a schema.
    init(types: [String], constraints: JSONObject) {
        if constraints["writeOnly"]?.boolValue == true {
            self = .secret
            return
        }
        if let values = constraints["enum"]?.arrayValue ?? constraints["const"].map({ [$0] }) {
            self = .choice(values.filter { !$0.isNull })
            return
        }
        switch types.filter({ $0 != "null" }) {
        case ["boolean"]: self = .toggle
        case let numbers where !numbers.isEmpty && numbers.allSatisfy { $0 == "integer" || $0 == "number" }:
            self = .number(
                NumberRange(
                    minimum: constraints["minimum"], maximum: constraints["maximum"], step: constraints["multipleOf"],
                    unit: constraints["x-unit"]?.stringValue, isWhole: !numbers.contains("number")))
        case ["array"]:
            let items = constraints["items"]?.objectValue ?? [:]
            let types = items["type"].map { $0.arrayValue?.compactMap(\.stringValue) ?? [$0.stringValue ?? ""] } ?? []
            self = .list(of: RowKind(types: types, constraints: items))
        case ["object"]: self = .group
        default: self = .text
        }
    }
}
