import CleatAPI
import CleatIO
public import CleatSettings

extension Cleat {
    /// Changes settings on trial: they are in force at once, and revert unless they are confirmed in time.
    ///
    /// The change survives neither a power cut nor a restart of the board before it is confirmed. It reverts when its
    /// window is over, also if this program has ended, and at the end of `whileOnTrial` unless that has confirmed it:
    /// ```swift
    /// let outcome = try await cleat.edit(confirm: .seconds(120)) { settings in
    ///     settings[.brightness] = 100
    /// } whileOnTrial: { trial in
    ///     if try await lampIsReadable() { try await trial.confirm() }
    /// }
    /// ```
    /// Like ``edit(comment:_:)``, the first closure runs again if another client commits meanwhile. While a change is on
    /// trial, no other change can be made: it ends with the code `pending`.
    ///
    /// - Parameters:
    ///   - window: the confirm window, a second to a day, from the moment that the change is applied.
    ///   - probes: the probes that confirm the change once all of them hold, such as `ping:192.0.2.1`; the service
    ///     checks them. In memory there are none.
    ///   - comment: the comment in the history, at most 1,024 bytes.
    ///   - body: the closure that makes the changes.
    ///   - whileOnTrial: the closure that runs while the change is on trial; it is not run if nothing is changed.
    /// - Returns: how the trial has ended.
    /// - Throws: the error of a closure, after the change is reverted; or ``CleatError``.
    @discardableResult
    public func edit(
        confirm window: Duration, until probes: [String] = [], comment: String? = nil,
        _ body: (inout EditableSettings) throws -> Void, whileOnTrial: (Trial) async throws -> Void
    ) async throws -> Trial.Outcome {
        let terms = TrialWindow(milliseconds: window.milliseconds, probes: probes)
        guard let reply = try await transaction(under: nil, comment, on: terms, body).reply else { return .unchanged }
        let trial = Trial(id: reply.id, generation: reply.generation, backend: backend)
        do {
            try await whileOnTrial(trial)
        } catch {
            // The error of the closure is the one to report; the service reverts the change in any case.
            _ = try? await trial.end()
            throw error
        }
        return try await trial.end()
    }
}
