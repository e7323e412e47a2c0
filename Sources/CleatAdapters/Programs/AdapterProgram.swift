package import CleatJSON

/// A program that takes part in changes of settings with a state of its own, which is opaque to Cleat.
///
/// Every call blocks for at most the program's time limit.
package protocol AdapterProgram: Sendable {
    /// True if the program has not answered in time a short time ago, or does not now: inspections do not ask it.
    var isPaused: Bool { get }
    /// Returns the reasons why settings cannot be applied; the program's state stays as it is.
    func check(_ settings: JSONObject) throws(ProgramError) -> [ProgramProblem]
    /// Returns the program's state as bytes from which ``restore(_:)`` brings it back.
    func capture() throws(ProgramError) -> [UInt8]
    /// Brings the state to what settings say.
    func apply(_ settings: JSONObject) throws(ProgramError)
    /// Restores a captured state; it may be repeated after a failure.
    func restore(_ state: [UInt8]) throws(ProgramError)
    /// Returns the fingerprint of the present state: two states are the same if their fingerprints are.
    ///
    /// - Parameter settings: the settings to compare the state with; nil for none.
    /// - Returns: the fingerprint, and the result of the comparison.
    /// - Throws: the failure of the call.
    func fingerprint(comparing settings: JSONObject?) throws(ProgramError) -> ProgramFingerprint
}

/// The limits of the answers of programs.
package enum ProgramLimits {
    /// The maximum size of a captured state in bytes.
    package static let stateBytes = 256 << 10
    /// The maximum size of a fingerprint in bytes.
    package static let fingerprintBytes = 1_024
    /// The maximum number of problems of a check; the rest is dropped.
    package static let problems = 64
    /// The maximum size of a reason in bytes; the rest is dropped.
    private static let reasonBytes = 512

    /// Returns a captured state that is not too large.
    package static func check(state: [UInt8]) throws(ProgramError) -> [UInt8] {
        guard state.count <= stateBytes else {
            throw ProgramError("its state has \(state.count) bytes, more than \(stateBytes)")
        }
        return state
    }

    /// Returns a fingerprint that is neither empty nor too long.
    package static func check(fingerprint: String) throws(ProgramError) -> String {
        guard (1...fingerprintBytes).contains(fingerprint.utf8.count) else {
            throw ProgramError("its fingerprint has \(fingerprint.utf8.count) bytes, not 1 to \(fingerprintBytes)")
        }
        return fingerprint
    }

    /// Returns a reason in one line, without its full stop.
    ///
    /// - Parameters:
    ///   - reason: the words of a program.
    ///   - isHidden: true if the program knows secrets, so that its words are not shown.
    /// - Returns: the line.
    package static func short(_ reason: String, isHidden: Bool = false) -> String {
        if isHidden { return "its own words are not shown, since it follows a secret setting; see the program's log" }
        let line = String(decoding: reason.utf8.prefix(reasonBytes).map { $0 < 32 ? 32 : $0 }, as: UTF8.self)
        return line.hasSuffix(".") ? String(line.dropLast()) : line
    }
}

/// The fingerprint of a program's state.
package struct ProgramFingerprint: Equatable, Sendable {
    /// The fingerprint, as the program computes it.
    package let text: String
    /// True if the state is as the settings of the call say; nil if that is not known.
    package let holds: Bool?

    /// Creates a fingerprint.
    package init(_ text: String, holds: Bool? = nil) {
        self.text = text
        self.holds = holds
    }
}

/// The reason why a program cannot apply a setting.
package struct ProgramProblem: Equatable, Sendable {
    /// The path of the setting; nil if no single one is the reason.
    package let path: String?
    /// The reason, as the end of a sentence that begins with the path.
    package let reason: String

    /// Creates a problem.
    package init(path: String?, reason: String) {
        self.path = path
        self.reason = reason
    }
}

/// The failure of a call of a program, as the end of a sentence with the remedy.
package struct ProgramError: Error, Equatable, Sendable {
    /// The reason.
    package let reason: String

    /// Creates an error.
    package init(_ reason: String) { self.reason = reason }
}

/// The captured state of a program.
package struct ProgramMemento: Sendable {
    /// The fingerprint of the state.
    package let fingerprint: String
    /// The state.
    package let state: [UInt8]
}

extension ProgramMemento: Equatable {
    /// Returns true if both are the same state: a program may write one state in several ways.
    package static func == (left: ProgramMemento, right: ProgramMemento) -> Bool {
        left.fingerprint == right.fingerprint
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}
