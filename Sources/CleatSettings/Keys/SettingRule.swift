public import CleatJSON

/// A rule that a key adds to its schema; the rules that fit the key's type are offered after a dot.
///
/// ```swift
/// .init("lamp/brightness", default: 80, .title("Brightness"), .range(0...100), .unit("%"))
/// .init("lamp/scenes", default: [], .items(.length(1...)), .unique())
/// .init("lamp/pin", .pattern("^[0-9]{4}$"), .secret)
/// ```
public struct SettingRule<Value>: Sendable {
    @usableFromInline let write: @Sendable (inout JSONObject) throws -> Void

    init(_ write: @escaping @Sendable (inout JSONObject) throws -> Void) { self.write = write }

    private init(_ keyword: String, _ value: JSONValue) {
        self.init { $0[keyword] = value }
    }

    /// Adds a keyword of the schemas of `schema.d`.
    public static func keyword(_ name: String, _ value: JSONValue) -> Self { Self(name, value) }

    /// Gives the short name of the setting.
    public static func title(_ text: String) -> Self { Self("title", .string(text)) }

    /// Explains the setting.
    public static func description(_ text: String) -> Self { Self("description", .string(text)) }

    /// Makes the value a secret, which is not sent and not printed.
    public static var secret: Self { Self("writeOnly", true) }

    /// Names the unit of the value, in the keyword `x-unit`.
    public static func unit(_ name: String) -> Self { Self("x-unit", .string(name)) }

    /// Accepts only the given values.
    public static func choices(_ values: Value...) -> Self where Value: Encodable & Sendable {
        Self { $0["enum"] = .array(try values.map { try JSONValue(setting: $0) }) }
    }

    private static func bounds(
        _ least: String, _ most: String, _ range: some RangeExpression<Int> & Sendable
    ) -> Self {
        Self { schema in
            let range = range.relative(to: 0..<Int.max)
            if range.lowerBound > 0 { schema[least] = JSONValue(range.lowerBound) }
            if range.upperBound < Int.max { schema[most] = JSONValue(range.upperBound - 1) }
        }
    }
}

extension SettingRule where Value: Comparable & Encodable & Sendable {
    /// Bounds a number, a duration or a size on both sides.
    public static func range(_ range: ClosedRange<Value>) -> Self { limits(range.lowerBound, range.upperBound) }

    /// Accepts only values that are not less than the given one.
    public static func minimum(_ value: Value) -> Self { limits(value, nil) }

    /// Accepts only values that are not greater than the given one.
    public static func maximum(_ value: Value) -> Self { limits(nil, value) }

    private static func limits(_ least: Value?, _ most: Value?) -> Self {
        Self { schema in
            let format = schema["format"]?.stringValue.flatMap(SettingFormat.init)
            for case (let keyword, let value?) in [("minimum", least), ("maximum", most)] {
                let stored = try JSONValue(setting: value)
                schema[keyword] = stored.stringValue.flatMap { format?.quantity($0) }.map(JSONValue.integer) ?? stored
            }
        }
    }
}

extension SettingRule<String> {
    /// Bounds the number of Unicode code points: `.length(1...40)`.
    public static func length(_ range: some RangeExpression<Int> & Sendable) -> Self {
        bounds("minLength", "maxLength", range)
    }

    /// Accepts only texts that contain a match of a regular expression of ECMA-262.
    public static func pattern(_ text: String) -> Self { Self("pattern", .string(text)) }
}

extension SettingRule {
    /// Adds rules for each element of the list.
    public static func items<Element>(_ rules: SettingRule<Element>...) -> Self where Value == [Element] {
        Self { schema in
            var items = schema["items"]?.objectValue ?? JSONObject()
            for rule in rules { try rule.write(&items) }
            schema["items"] = .object(items)
        }
    }

    /// Bounds the number of elements of the list: `.count(1...8)`.
    public static func count<Element>(_ range: some RangeExpression<Int> & Sendable) -> Self where Value == [Element] {
        bounds("minItems", "maxItems", range)
    }

    /// Accepts no element of the list twice.
    public static func unique<Element>() -> Self where Value == [Element] { Self("uniqueItems", true) }
}
