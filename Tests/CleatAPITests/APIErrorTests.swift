import CleatAPI
import CleatJSON
import CleatSettings
import CleatVarlink
import Testing

/// One error of each kind.
private let errors: [APIError] =
    [
        .invalidPath(path: "/a", message: "m"), .unknownSetting(path: "a", message: "m"),
        .invalidValue([
            .init(path: "a", value: [1, "x"], code: "type", reason: "r"),
            .init(path: "b", code: "unknown", reason: "s"),
        ]), .settingLocked([.init(path: "a", code: "locked", reason: "r")]), .tooManyChanges(limit: 4096, message: "m"),
        .conflict(.init(store: "s", generation: 4), message: "m"), .idReused(id: "i", generation: 3, message: "m"),
        .unknownGeneration(generation: 99, message: "m"), .storeFailed(code: "full", message: "m"),
        .tooSlow(lost: 5, message: "m"), .notStreaming(message: "m"), .invalidEvent(message: "m"),
        .rateLimited(wait: 20, message: "m"),
        .unknownHook(name: "h", message: "m"), .schemaRefused(name: "s", message: "m"),
        .permissionDenied(message: "m"), .tooManyConnections(limit: 64),
        .transactionPending(
            TrialSummary(id: "i", owner: "o", generation: 4, phase: .awaitingConfirm, remaining: 5), message: "m"),
        .noTransaction(id: "i", message: "m"), .unknownTransaction(id: "i", message: "m"),
        .notApplied(
            id: "i", generation: 3, results: [.init(adapter: "a", state: .failed, message: "f")], message: "m"),
        .notReverted(
            id: "i", generation: 3, results: [.init(adapter: "a", state: .failed, message: "f")], message: "m"),
    ] + FilesError.Kind.allCases.map { .files(everyField(of: $0)) }
    + SnapshotsError.Kind.allCases.map { .snapshots(SnapshotsError($0, "n", message: "m")) }

/// An error of which each field that its kind has is filled.
private func everyField(of kind: FilesError.Kind) -> FilesError {
    var error = FilesError(kind, message: "m")
    (error.area, error.path, error.reason, error.resource) = ("inbox", "a/b", "busy", "files")
    (error.id, error.expected, error.found) = ("i", "aa", "bb")
    (error.used, error.limit, error.asked, error.offset) = (4, 5, 2, .max)
    // Members that the kind does not have stay empty, as they are decoded from the wire.
    return FilesError(name: error.name, parameters: error.parameters) ?? error
}

private let descriptions = Result {
    try APIInterfaces.all.map { interface throws in try InterfaceDescription(interface.idl) }
}

@Suite struct APIErrorTests {
    @Test(arguments: errors) func roundTripsOverTheWire(_ error: APIError) throws {
        #expect(APIError(error.varlinkError) == error)
    }

    @Test(arguments: errors) func fitsItsDescription(_ error: APIError) throws {
        let interface = try #require(descriptions.get().first { $0.name == error.varlinkError.interface })
        #expect(interface.mismatch(error: error.varlinkError) == nil)
    }

    @Test func coversEveryDeclaredError() throws {
        var declared: Set<String> = []
        for interface in try descriptions.get() {
            declared.formUnion(interface.errors.keys.map { "\(interface.name).\($0)" })
        }
        #expect(declared == Set(errors.map(\.name)))
    }

    @Test(arguments: errors) func survivesAnEmptyAnswer(_ error: APIError) {
        #expect(APIError(name: error.name, parameters: [:])?.name == error.name)
        #expect(APIError(name: error.name, parameters: ["message": 4, "problems": [1], "generation": "x"]) != nil)
    }

    @Test func leavesOthersAlone() {
        #expect(APIError(VarlinkError("org.varlink.service.MethodNotFound", [:])) == nil)
        #expect(APIError(VarlinkError("dev.cleat.Settings.Nothing", [:])) == nil)
    }

    @Test(arguments: errors) func saysSomething(_ error: APIError) {
        #expect(!error.description.isEmpty)
    }
}

@Suite struct TransactionIDTests {
    @Test(arguments: [
        ("a", true), ("", false), (String(repeating: "x", count: 64), true), (String(repeating: "x", count: 65), false),
        ("A.z_9:-", true), ("a b", false), ("a/b", false), ("ä", false), ("a\n", false),
    ]) func isChecked(_ id: String, _ isValid: Bool) {
        #expect(APILimits.isValidID(id) == isValid)
    }
}
