package import SystemPackage

/// Why an observer cannot work.
package struct ObserverError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package struct Code: Sendable, Hashable {
        private enum Value: Sendable { case open, receive, backendMissing, state }
        private let value: Value

        /// A socket cannot be opened or subscribed.
        package static let open = Code(value: .open)
        /// A socket cannot be read.
        package static let receive = Code(value: .receive)
        /// The build does not have the source.
        package static let backendMissing = Code(value: .backendMissing)
        /// A saved state cannot be read.
        package static let state = Code(value: .state)
    }

    /// The kind of failure.
    package let code: Code
    /// What it is about.
    package let subject: String
    /// What the kernel said.
    package let underlying: Errno?
    private let remedy: String

    init(_ code: Code, subject: String, underlying: Errno? = nil, remedy: String) {
        self.code = code
        self.subject = subject
        self.underlying = underlying
        self.remedy = remedy
    }

    /// One sentence that says what failed and what to do.
    package var description: String {
        let verb =
            switch code {
            case .open: "cannot listen to"
            case .receive: "cannot go on listening to"
            case .backendMissing: "this build does not have"
            default: "cannot read"
            }
        let cause = underlying.map { ": \($0)" } ?? ""
        return "\(verb) \(subject)\(cause); \(remedy)"
    }
}
