/// Describes why the settings could not be read, changed or followed, and the next step.
///
/// ```swift
/// do {
///     try await cleat.edit { $0[.brightness] = 200 }
/// } catch let error as CleatError where error.code == .refused {
///     for problem in error.problems { print(problem) }
/// }
/// ```
public struct CleatError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        init(_ description: String) { self.description = description }

        /// The service is not running, or did not return within the time limit.
        public static let unreachable = Code("unreachable")
        /// The service did not answer within the time limit.
        public static let timedOut = Code("timedOut")
        /// The program is not allowed to connect to the service, or to read a secret.
        public static let denied = Code("denied")
        /// The request is invalid, such as paths or values that the schema refuses, each listed in
        /// ``CleatError/problems``; nothing was changed.
        public static let refused = Code("refused")
        /// Settings are locked by the vendor or the administrator, each listed in ``CleatError/problems``; nothing was
        /// changed.
        public static let locked = Code("locked")
        /// Other clients changed the settings during each attempt to edit them; nothing was changed.
        public static let conflict = Code("conflict")
        /// Another change is on trial (`cleat set --confirm`); nothing else can be changed until it ends.
        public static let pending = Code("pending")
        /// The change is not on trial any more: it was confirmed or reverted.
        public static let ended = Code("ended")
        /// The program's user emits too many events; this one was not published.
        public static let rateLimited = Code("rateLimited")
        /// Keys of the program do not match the board's schema, each listed in ``CleatError/problems``, or a value
        /// cannot be read as its key's type.
        public static let mismatch = Code("mismatch")
        /// Another program, or another store of this one, has the directory of the store open.
        public static let inUse = Code("inUse")
        /// The service's reply cannot be decoded: the service may be of another version, or not Cleat at all.
        public static let notUnderstood = Code("notUnderstood")
        /// Any other failure, such as that of the service's store.
        public static let failed = Code("failed")
        /// The task was cancelled; a change that was already sent may have been made.
        public static let cancelled = Code("cancelled")
    }

    /// One problem at one path.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The path.
        public let path: String
        /// The violated rule: `unknown`, `type`, `range`, `secret`, …; see ``/CleatSettings/SettingProblem/Code``.
        public let code: String
        /// The problem and the allowed values, worded to follow the path.
        public let reason: String
        /// The refused value; nil if there is none, and for a secret.
        public let value: JSONValue?

        /// Creates a problem.
        package init(path: String, code: String, reason: String, value: JSONValue? = nil) {
            self.path = path
            self.code = code
            self.reason = reason
            self.value = value
        }

        /// The path and the reason.
        public var description: String { path.isEmpty ? reason : "\(path) \(reason)" }
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its location.
    public let message: String
    /// The next step; nil if the message contains it.
    public let remedy: String?
    /// The problems, one for each path.
    public let problems: [Problem]

    /// Creates an error.
    package init(_ code: Code, _ message: String, remedy: String? = nil, problems: [Problem] = []) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.problems = problems
    }

    /// The message, each problem, and the remedy.
    public var description: String {
        var text = message
        if !problems.isEmpty { text += ": " + problems.map(\.description).joined(separator: "; ") }
        if let remedy { text += "; " + remedy }
        return text
    }
}
