import CleatAPI
import CleatAdapters

/// What came of bringing back what was captured, and of having programs take that up.
///
/// The two are not the same: where a resource does not come back, the system is not what it was, and that is tried again
/// until it is. Where only a program fails, all that it would read is what it was, so that the change is undone; the program
/// may fail whatever it is given, and must not keep the board from being changed.
struct Restoration: Sendable {
    /// What was done, the failures too.
    var results: [CleatAPI.AdapterResult] = []
    /// What did not come back.
    var failures: [CleatAPI.AdapterResult] = []
    /// What was run, whether it failed or not.
    var actions: [AdapterAction] = []
    /// What is left to do though all is back.
    var leftovers: [Leftover] = []
}

/// Something that a way back, or a start of the service, has left undone without anything else waiting for it.
struct Leftover: Sendable {
    /// What is run again; empty where trying again is of no use.
    ///
    /// It is all that the adapter asks for of the same subject, since what takes an interface down must not be run without
    /// what brings it up.
    let actions: [AdapterAction]
    /// Which of them failed; nil where it was none.
    let failed: AdapterAction?
    /// What went wrong.
    let result: CleatAPI.AdapterResult
}

extension [Leftover] {
    /// Says in which state the system is once a change is undone.
    ///
    /// - Parameter applied: the results of the change before it was undone.
    /// - Returns: a sentence without its full stop.
    func outcome(of applied: [CleatAPI.AdapterResult]) -> String {
        if isEmpty {
            return applied.contains { $0.state == .applied } ? "All is as it was before" : "Nothing was changed"
        }
        return "All that could be is as it was before. "
            + map(\.result.message.withoutFullStop).joined(separator: "; ")
    }
}

extension String {
    /// The sentence without its end, so that another half can follow.
    var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
