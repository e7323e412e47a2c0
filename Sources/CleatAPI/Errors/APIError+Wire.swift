import CleatIO
package import CleatJSON
import CleatSettings
package import CleatVarlink

extension APIError {
    /// The fully qualified name on the wire.
    package var name: String {
        switch self {
        case .invalidPath: "dev.cleat.Settings.InvalidPath"
        case .unknownSetting: "dev.cleat.Settings.UnknownSetting"
        case .invalidValue: "dev.cleat.Settings.InvalidValue"
        case .settingLocked: "dev.cleat.Settings.SettingLocked"
        case .tooManyChanges: "dev.cleat.Settings.TooManyChanges"
        case .conflict: "dev.cleat.Settings.Conflict"
        case .idReused: "dev.cleat.Settings.IdReused"
        case .unknownGeneration: "dev.cleat.Settings.UnknownGeneration"
        case .storeFailed: "dev.cleat.Settings.StoreFailed"
        case .tooSlow: "dev.cleat.Events.TooSlow"
        case .notStreaming: "dev.cleat.Events.NotStreaming"
        case .invalidEvent: "dev.cleat.Events.InvalidEvent"
        case .rateLimited: "dev.cleat.Events.RateLimited"
        case .schemaRefused: "dev.cleat.Settings.SchemaRefused"
        case .unknownHook: "dev.cleat.Hooks.UnknownHook"
        case .permissionDenied: "dev.cleat.Service.PermissionDenied"
        case .tooManyConnections: "dev.cleat.Service.TooManyConnections"
        case .transactionPending: "dev.cleat.Transactions.TransactionPending"
        case .noTransaction: "dev.cleat.Transactions.NoTransaction"
        case .unknownTransaction: "dev.cleat.Transactions.UnknownTransaction"
        case .notApplied: "dev.cleat.Transactions.NotApplied"
        case .notReverted: "dev.cleat.Transactions.NotReverted"
        case .files(let error): error.name
        case .snapshots(let error): error.wireName
        }
    }

    /// The parameters of the error on the wire.
    package var parameters: JSONObject {
        switch self {
        case .invalidPath(let path, let message), .unknownSetting(let path, let message):
            ["path": .string(path), "message": .string(message)]
        case .invalidValue(let problems), .settingLocked(let problems):
            ["problems": .array(problems.map { .object($0.wire) })]
        case .tooManyChanges(let limit, let message):
            ["limit": .integer(Int64(limit)), "message": .string(message)]
        case .conflict(let reference, let message):
            [
                "store": .string(reference.store), "generation": .integer(reference.generation),
                "message": .string(message),
            ]
        case .idReused(let id, let generation, let message):
            ["id": .string(id), "generation": .integer(generation), "message": .string(message)]
        case .unknownGeneration(let generation, let message):
            ["generation": .integer(generation), "message": .string(message)]
        case .storeFailed(let code, let message):
            ["code": .string(code), "message": .string(message)]
        case .tooSlow(let lost, let message):
            ["lost": .integer(lost), "message": .string(message)]
        case .notStreaming(let message), .permissionDenied(let message), .invalidEvent(let message):
            ["message": .string(message)]
        case .rateLimited(let wait, let message):
            ["wait": .integer(wait), "message": .string(message)]
        case .unknownHook(let name, let message), .schemaRefused(let name, let message):
            ["name": .string(name), "message": .string(message)]
        case .tooManyConnections(let limit):
            ["limit": .integer(Int64(limit))]
        case .transactionPending(let trial, let message): Self.parameters(trial, message)
        case .noTransaction(let id, let message), .unknownTransaction(let id, let message):
            ["id": .string(id), "message": .string(message)]
        case .notApplied(let id, let generation, let results, let message),
            .notReverted(let id, let generation, let results, let message):
            [
                "id": .string(id), "generation": .integer(generation),
                "results": .array(results.map { .object($0.wire) }), "message": .string(message),
            ]
        case .files(let error): error.parameters
        case .snapshots(let error): error.parameters
        }
    }

    /// Reads an error from the wire.
    ///
    /// A field that is missing or of another type counts as empty, so that the most important part, the name, is never
    /// lost; a result that is not valid is omitted.
    /// - Returns: nil if no Cleat interface declares an error of that name.
    package init?(name: String, parameters: JSONObject) {
        func text(_ key: String) -> String { parameters[key]?.stringValue ?? "" }
        func number(_ key: String) -> Int64 { parameters[key]?.integerValue ?? 0 }
        func list<Value: WireValue>(_ key: String) -> [Value] {
            (parameters[key]?.arrayValue ?? []).compactMap(\.objectValue).compactMap { try? Value(wire: $0) }
        }
        let message = text("message")
        let problems = (parameters["problems"]?.arrayValue ?? []).compactMap(\.objectValue).map { problem in
            RefusedChange(
                path: problem["path"]?.stringValue ?? "", value: problem["value"],
                code: problem["code"]?.stringValue ?? "", reason: problem["reason"]?.stringValue ?? "")
        }
        switch name {
        case "dev.cleat.Settings.InvalidPath": self = .invalidPath(path: text("path"), message: message)
        case "dev.cleat.Settings.UnknownSetting": self = .unknownSetting(path: text("path"), message: message)
        case "dev.cleat.Settings.InvalidValue":
            self = .invalidValue(problems)
        case "dev.cleat.Settings.SettingLocked": self = .settingLocked(problems)
        case "dev.cleat.Settings.TooManyChanges":
            self = .tooManyChanges(limit: Int(clamping: number("limit")), message: message)
        case "dev.cleat.Settings.Conflict":
            self = .conflict(GenerationRef(store: text("store"), generation: number("generation")), message: message)
        case "dev.cleat.Settings.IdReused":
            self = .idReused(id: text("id"), generation: number("generation"), message: message)
        case "dev.cleat.Settings.UnknownGeneration":
            self = .unknownGeneration(generation: number("generation"), message: message)
        case "dev.cleat.Settings.StoreFailed": self = .storeFailed(code: text("code"), message: message)
        case "dev.cleat.Events.TooSlow": self = .tooSlow(lost: number("lost"), message: message)
        case "dev.cleat.Events.NotStreaming": self = .notStreaming(message: message)
        case "dev.cleat.Events.InvalidEvent": self = .invalidEvent(message: message)
        case "dev.cleat.Events.RateLimited": self = .rateLimited(wait: number("wait"), message: message)
        case "dev.cleat.Settings.SchemaRefused": self = .schemaRefused(name: text("name"), message: message)
        case "dev.cleat.Hooks.UnknownHook": self = .unknownHook(name: text("name"), message: message)
        case "dev.cleat.Service.PermissionDenied": self = .permissionDenied(message: message)
        case "dev.cleat.Service.TooManyConnections":
            self = .tooManyConnections(limit: Int(clamping: number("limit")))
        case "dev.cleat.Transactions.TransactionPending":
            self = .transactionPending(try? TrialSummary(wire: parameters), message: message)
        case "dev.cleat.Transactions.NoTransaction": self = .noTransaction(id: text("id"), message: message)
        case "dev.cleat.Transactions.UnknownTransaction": self = .unknownTransaction(id: text("id"), message: message)
        case "dev.cleat.Transactions.NotApplied":
            self = .notApplied(
                id: text("id"), generation: number("generation"), results: list("results"), message: message)
        case "dev.cleat.Transactions.NotReverted":
            self = .notReverted(
                id: text("id"), generation: number("generation"), results: list("results"), message: message)
        default:
            if let error = SnapshotsError(name: name, parameters: parameters) {
                self = .snapshots(error)
                return
            }
            guard let error = FilesError(name: name, parameters: parameters) else { return nil }
            self = .files(error)
        }
    }

    /// Returns the parameters of the error of a change that is blocked by a trial, without the failures of a revert.
    private static func parameters(_ trial: TrialSummary?, _ message: String) -> JSONObject {
        var object = trial?.wire ?? [:]
        object["failures"] = nil
        object["message"] = .string(message)
        return object
    }

    /// The error as a Varlink error.
    package var varlinkError: VarlinkError { VarlinkError(name, parameters) }

    /// Reads a Varlink error.
    ///
    /// - Returns: nil if no Cleat interface declares it.
    package init?(_ error: VarlinkError) {
        self.init(name: error.name, parameters: error.parameters)
    }
}

extension APIError {
    /// The remedy for a token that cannot be used.
    package static let tokenRemedy = "correct the file or the variable; without it the user of the process decides"

    /// Returns the message about a token that cannot be used; nil for an error of another kind.
    package static func tokenRefusal(_ error: any Error) -> String? {
        let reason: String
        if let error = error as? TrustError {
            reason = "\(error)"
        } else if let remote = (error as? VarlinkClientError)?.remote,
            case .permissionDenied(let message)? = APIError(remote)
        {
            reason = message
        } else {
            return nil
        }
        return "the token of \(ServiceSocket.tokenVariable) cannot be used: \(reason)"
    }
}
