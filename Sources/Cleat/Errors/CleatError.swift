/// Says why the settings could not be read, changed or followed, and what to do next.
///
/// ```swift
/// do {
///     try await cleat.edit { $0[.brightness] = 200 }
/// } catch let error as CleatError where error.code == .refused {
///     for problem in error.problems { print(problem) }
/// }
/// ```
public struct CleatError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        init(_ description: String) { self.description = description }

        /// The service is not there, or did not come back within the time limit.
        public static let unreachable = Code("unreachable")
        /// The service did not answer within the time limit.
        public static let timedOut = Code("timedOut")
        /// The program may not do this: to speak to the service, or to read a secret.
        public static let denied = Code("denied")
        /// The schema refuses values or does not know paths, each named in ``CleatError/problems``: nothing was changed.
        public static let refused = Code("refused")
        /// Settings are locked by the vendor or the administrator, each named in ``CleatError/problems``: nothing was
        /// changed.
        public static let locked = Code("locked")
        /// Others changed the settings again and again while this program edited them: nothing was changed.
        public static let conflict = Code("conflict")
        /// Another change is on trial (`cleat set --confirm`), and nothing else can be changed until it has ended.
        public static let pending = Code("pending")
        /// Keys of the program do not fit the board's schema, each named in ``CleatError/problems``.
        public static let mismatch = Code("mismatch")
        /// What came from the service is not understood: it may be of another version, or not Cleat at all.
        public static let notUnderstood = Code("notUnderstood")
        /// The service could not store or read.
        public static let failed = Code("failed")
        /// The task was cancelled; a change that was on its way may have been made.
        public static let cancelled = Code("cancelled")
    }

    /// What is wrong at one path.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The path.
        public let path: String
        /// The rule: `unknown`, `type`, `range`, `secret`, …; see ``SettingProblem/Code``.
        public let code: String
        /// What is wrong and what would be right, as it goes on after the path.
        public let reason: String
        /// The value that was refused; nil where there is none, and for a secret.
        public let value: JSONValue?

        init(path: String, code: String, reason: String, value: JSONValue? = nil) {
            self.path = path
            self.code = code
            self.reason = reason
            self.value = value
        }

        /// The path and the reason.
        public var description: String { path.isEmpty ? reason : "\(path) \(reason)" }
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed, and where.
    public let message: String
    /// What to do next; nil where the message says it.
    public let remedy: String?
    /// What is wrong, path by path.
    public let problems: [Problem]

    init(_ code: Code, _ message: String, remedy: String? = nil, problems: [Problem] = []) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.problems = problems
    }

    /// What failed, each problem, and what to do next.
    public var description: String {
        var text = message
        if !problems.isEmpty { text += ": " + problems.map(\.description).joined(separator: "; ") }
        if let remedy { text += "; " + remedy }
        return text
    }
}
