package import SystemPackage

/// An error that keeps an observer from working, or from reading its saved state.
package struct ObserverError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: Sendable {
        /// A socket cannot be opened or subscribed.
        case open
        /// A socket cannot be read.
        case receive
        /// The build does not include the source.
        case backendMissing
        /// A saved state cannot be read.
        case state
    }

    /// The kind of failure.
    package let code: Code
    /// The object of the failed operation, such as `rtnetlink` or a path.
    package let subject: String
    /// The kernel's error; nil if there was none.
    package let underlying: Errno?
    private let remedy: String

    /// Creates an error.
    package init(_ code: Code, subject: String, underlying: Errno? = nil, remedy: String) {
        self.code = code
        self.subject = subject
        self.underlying = underlying
        self.remedy = remedy
    }

    /// One sentence with the failure and the remedy.
    package var description: String {
        let verb =
            switch code {
            case .open: "cannot listen to"
            case .receive: "cannot continue to listen to"
            case .backendMissing: "this build does not have"
            case .state: "cannot read"
            }
        let cause = underlying.map { ": \($0)" } ?? ""
        return "\(verb) \(subject)\(cause); \(remedy)"
    }
}
