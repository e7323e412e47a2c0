import CleatAPI
import CleatSettings

/// The purpose of a request to change settings.
enum ChangeIntent: Equatable {
    /// The change is made.
    case make
    /// The change is only checked.
    case check
    /// The change is checked, and its effects are reported.
    case plan
    /// The change is made and reverted at once.
    case rehearse

    /// Reads the intent of a request.
    ///
    /// - Parameters:
    ///   - check: True if the change is only checked.
    ///   - plan: True if it is planned.
    ///   - rehearse: True if it is rehearsed.
    ///   - window: The confirm window in milliseconds; nil if it is not on trial.
    /// - Throws: `APIError` if a rehearsal is combined with one of the others.
    init(check: Bool?, plan: Bool?, rehearse: Bool?, window: Int64?) throws(APIError) {
        guard rehearse == true else {
            self = plan == true ? .plan : check == true ? .check : .make
            return
        }
        guard check != true, plan != true, window == nil else {
            throw .invalidValue([
                RefusedChange(
                    path: "rehearse", code: "rehearse",
                    reason: "a rehearsal is reverted at once, and cannot be combined with check, plan and confirm")
            ])
        }
        self = .rehearse
    }

    /// True if something is written.
    var writes: Bool { self == .make || self == .rehearse }

    /// Returns the hash of a request, which differs for a rehearsal: its id is not that of the change.
    func hash(_ hash: String) -> String { self == .rehearse ? SettingsPlan.rehearsalHash(hash) : hash }
}
