import CleatAPI
import CleatSettings

/// What a caller wants done with a change.
enum ChangeIntent: Equatable {
    /// It is made.
    case make
    /// It is only checked.
    case check
    /// It is checked, and what it would do is told.
    case plan
    /// It is made and undone at once.
    case rehearse

    /// Reads what a request says.
    ///
    /// - Parameters:
    ///   - check: whether it is only checked.
    ///   - plan: whether it is planned.
    ///   - rehearse: whether it is rehearsed.
    ///   - window: how long it is on trial.
    /// - Throws: `APIError` where it says several things.
    init(check: Bool?, plan: Bool?, rehearse: Bool?, window: Int64?) throws(APIError) {
        guard rehearse == true else {
            self = plan == true ? .plan : check == true ? .check : .make
            return
        }
        guard check != true, plan != true, window == nil else {
            throw .invalidValue([
                RefusedChange(
                    path: "rehearse", code: "rehearse",
                    reason: "a rehearsal is made and undone at once; it goes with none of check, plan and confirm")
            ])
        }
        self = .rehearse
    }

    /// Whether something is written.
    var writes: Bool { self == .make || self == .rehearse }

    /// The hash of a request, which is another one where it is a rehearsal: its id is not that of the change.
    func hash(_ hash: String) -> String { self == .rehearse ? SettingsPlan.rehearsalHash(hash) : hash }
}
