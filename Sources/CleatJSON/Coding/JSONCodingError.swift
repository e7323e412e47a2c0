/// The reason why a value cannot be converted between Swift and JSON, and its place in the JSON value.
public struct JSONCodingError: Error, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        enum Kind: String { case missingKey, missingValue, wrongType, invalidValue }

        let kind: Kind

        /// The name of the kind.
        public var description: String { kind.rawValue }

        /// An object lacks a key, or a list lacks an element, that the type requires.
        public static let missingKey = Code(kind: .missingKey)
        /// The value is `null`, but the type requires a value.
        public static let missingValue = Code(kind: .missingValue)
        /// The value has a wrong type.
        public static let wrongType = Code(kind: .wrongType)
        /// The type itself refuses the value, or JSON cannot represent it.
        public static let invalidValue = Code(kind: .invalidValue)
    }

    /// The kind of error.
    public let code: Code
    /// The keys and indices that lead to the value.
    public private(set) var pointer: [String]
    /// The fault without the place.
    public let message: String
    /// The error that the type itself threw; nil if there is none.
    public let underlying: (any Error)?

    /// The place as `changes/3/path`; empty for the value itself.
    public var path: String { pointer.joined(separator: "/") }

    /// The error as `changes/3/path: expected a string, found 5`.
    public var description: String { pointer.isEmpty ? message : "\(path): \(message)" }

    /// Converts any error that was thrown by coding.
    init(_ error: any Error, at path: [any CodingKey]) {
        switch error {
        case let error as JSONCodingError: self = error
        case let error as DecodingError: self.init(error)
        case let error as EncodingError: self.init(error)
        default: self.init(code: .invalidValue, path, message: "\(error)", underlying: error)
        }
    }

    private init(code: Code, _ path: [any CodingKey], message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.pointer = path.map { key in key.intValue.map { String($0) } ?? key.stringValue }
        self.message = message
        self.underlying = underlying
    }

    /// Returns the error of a value that is part of another one.
    package func below(_ path: [String]) -> JSONCodingError {
        var error = self
        error.pointer = path + pointer
        return error
    }

    private init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(code: .missingKey, context.codingPath + [key], message: "is missing")
        case .valueNotFound(_, let context):
            self.init(code: .missingValue, context.codingPath, message: context.debugDescription)
        case .typeMismatch(_, let context):
            self.init(code: .wrongType, context.codingPath, message: context.debugDescription)
        case .dataCorrupted(let context):
            self.init(
                code: .invalidValue, context.codingPath, message: context.debugDescription,
                underlying: context.underlyingError)
        @unknown default:
            self.init(code: .invalidValue, [], message: "\(error)", underlying: error)
        }
    }

    private init(_ error: EncodingError) {
        switch error {
        case .invalidValue(_, let context):
            self.init(
                code: .invalidValue, context.codingPath, message: context.debugDescription,
                underlying: context.underlyingError)
        @unknown default:
            self.init(code: .invalidValue, [], message: "\(error)", underlying: error)
        }
    }
}
