import CleatAPI
import CleatSettings
import CleatViews

extension CommandError {
    /// Describes an error of the service for the user of the command line.
    init(_ error: APIError) {
        let (status, layer, remedy) = Self.meaning(of: error)
        self.init(
            status: status, layer: layer, code: error.name, message: Self.sentence(of: error), details: [],
            remedy: remedy, parameters: error.parameters)
        switch error {
        case .invalidValue(let problems), .settingLocked(let problems):
            details = problems.map { RefusedValue.Problem($0).description }
        case .notApplied(_, _, let results, _), .notReverted(_, _, let results, _):
            details = results.filter { $0.state == .failed }.map(\.message)
        default: break
        }
        if case .files(let error) = error, error.kind == .quotaExceeded, error.asked > 0 {
            details = [Self.account(of: error)]
        }
    }

    /// Returns the used and the requested amount of a quota.
    private static func account(of error: FilesError) -> String {
        let isBytes = error.resource == "bytes"
        let (used, limit, asked) = (error.used, error.limit, error.asked)
        return isBytes
            ? "\(used.shownBytes) of \(limit.shownBytes) used, \(asked.shownBytes) requested"
            : "\(used) of \(limit) files and directories used, \(asked) requested"
    }

    private static func sentence(of error: APIError) -> String {
        switch error {
        case .invalidValue(let problems) where problems.count == 1: "a value was refused; nothing was changed"
        case .invalidValue(let problems): "\(problems.count) values were refused; nothing was changed"
        case .settingLocked: "settings are locked; nothing was changed"
        default: error.description.isEmpty ? "the service answered \(error.name)" : error.description
        }
    }

    /// Returns the status, the layer, and the next step; nil if the service's message contains it.
    private static func meaning(of error: APIError) -> (CommandStatus, Layer, String?) {
        switch error {
        case .invalidPath, .unknownSetting, .unknownGeneration: (.invalid, .validate, nil)
        case .invalidValue(let problems): (.invalid, .validate, advice(on: problems))
        case .settingLocked(let problems):
            (.denied, .authorise, problems.first.map { "see `cleat why \($0.path)` for the lock and its file" })
        case .tooManyChanges: (.invalid, .validate, "split the changes over several calls")
        case .conflict, .idReused: (.conflict, .validate, nil)
        case .storeFailed: (.failure, .store, "see `cleat status` and the service's log")
        case .tooSlow: (.failure, .speak, "start again; the present state comes first")
        case .notStreaming: (.failure, .speak, nil)
        case .invalidEvent: (.invalid, .validate, nil)
        case .rateLimited: (.conflict, .apply, nil)
        case .unknownHook, .schemaRefused: (.invalid, .lookup, nil)
        case .permissionDenied: (.denied, .authorise, "ask to be made a member of the group `cleat`, or use sudo")
        case .tooManyConnections: (.unavailable, .connect, nil)
        case .transactionPending: (.conflict, .confirm, nil)
        case .noTransaction: (.conflict, .confirm, nil)
        case .unknownTransaction: (.invalid, .confirm, "see `cleat status` for the change on trial")
        case .notApplied: (.reverted, .apply, nil)
        case .notReverted(let id, _, _, _):
            (.revertFailed, .apply, id.isEmpty ? "see `cleat drift`" : "`cleat abort \(id)` tries again to revert it")
        case .files(let error): meaning(of: error)
        case .snapshots(let error): meaning(of: error)
        }
    }

    private static func meaning(of error: SnapshotsError) -> (CommandStatus, Layer, String?) {
        switch error.kind {
        case .unknownSnapshot: (.invalid, .lookup, nil)
        case .snapshotExists: (.conflict, .validate, nil)
        case .invalidName, .invalidExport: (.invalid, .validate, nil)
        case .limitReached, .damagedObject: (.failure, .store, nil)
        case .refused: (.failure, .apply, nil)
        }
    }

    private static func meaning(of error: FilesError) -> (CommandStatus, Layer, String?) {
        switch error.kind {
        case .unknownArea: (.invalid, .lookup, "see `cleat file df` for the areas")
        case .invalidPath, .tooLong: (.invalid, .validate, nil)
        case .notFound: (.invalid, .lookup, nil)
        case .unknownUpload: (.invalid, .lookup, "see `cleat file uploads`, and put the file again")
        case .changed: (.conflict, .files, "repeat the command")
        case .uploadConflict: (.conflict, .files, "use another --id, or cancel that one with `cleat file abort`")
        case .tooManyUploads: (.conflict, .files, "cancel some with `cleat file abort`; see `cleat file uploads`")
        case .wrongOffset: (.conflict, .files, "check that no other client sends this file, then put it again")
        case .hashMismatch: (.failure, .files, "put the file again")
        case .quotaExceeded: (.failure, .files, "see `cleat file df`")
        case .areaUnavailable, .refused, .noSpace, .failed: (.failure, .files, nil)
        }
    }

    /// Returns the command that shows the allowed values if the schema refused a value; nil for an id or a comment.
    private static func advice(on problems: [RefusedChange]) -> String? {
        let codes: [SettingProblem.Code] = [
            .key, .type, .enumeration, .constant, .range, .length, .pattern, .format, .count, .unique, .required,
            .combination,
        ]
        let refused = problems.first { problem in codes.contains { $0.description == problem.code } }
        return refused.map { "see `cleat describe \($0.path)` for what is allowed" }
    }
}
