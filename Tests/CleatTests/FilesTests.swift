import Cleat
import CleatEmbedded
import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

/// Files of areas against replies that are lost, and against services that answer nonsense.
@Suite(.timeLimit(.minutes(TestMachine.slowness))) struct FilesTests {
    private static let status =
        #"{"parameters":{"entry":{"path":"","type":"directory","size":0,"uid":0,"gid":0,"links":1,"mode":"0750","modified":"2026-11-24T00:00:00Z"},"token":"t"}}"#
    private static let entry =
        #"{"path":"a","type":"file","size":2,"uid":0,"gid":0,"links":1,"mode":"0640","modified":"2026-11-24T00:00:00Z"}"#

    private static func refusal(_ name: String, _ parameters: String) -> String {
        #"{"error":"dev.cleat.Files.\#(name)","parameters":{\#(parameters),"message":"Could not do it; try again."}}"#
    }

    /// Runs a body with an area whose service answers the n-th call of each method, from 0, by `answer`.
    private static func with(
        answer: @escaping @Sendable (String, Int) -> String?,
        _ body: @escaping @Sendable (any Files & FilesWatching) async throws -> Void
    ) async throws {
        let counts = Mutex<[String: Int]>([:])
        try await FakeService.with { name, _ in
            if name.hasSuffix("GetInfo") { return #"{"parameters":{}}"# }
            let method = String(name.split(separator: ".").last ?? "")
            let count = counts.withLock { counts in
                defer { counts[method, default: 0] += 1 }
                return counts[method, default: 0]
            }
            if method == "Stat", count == 0 { return status }
            return answer(method, count)
        } _: { socket in
            let cleat = try await Cleat.connect(to: socket, timeout: .seconds(30).onThisMachine)
            try await body(try await cleat.files.area("documents"))
        }
    }

    private static func failure(_ call: () async throws -> Void) async throws -> FilesError {
        do {
            try await call()
        } catch let error as FilesError {
            return error
        }
        throw Missing()
    }

    private struct Missing: Error {}

    @Test func aPieceWhoseReplyWasLostIsNotSentTwice() async throws {
        let calls = Mutex<[String]>([])
        try await Self.with { method, count in
            calls.withLock { $0.append(method) }
            switch (method, count) {
            case ("Begin", _): return #"{"parameters":{"offset":0}}"#
            case ("Write", 0): return nil
            case ("Write", 1): return Self.refusal("WrongOffset", #""id":"x","offset":2"#)
            case ("Commit", 0): return nil
            case ("Commit", 1): return #"{"parameters":{"entry":\#(Self.entry)}}"#
            default: return #"{"error":"a.b.C"}"#
            }
        } _: { area in
            let writer = try await area.writer("a")
            try await writer.write([1, 2])
            try await writer.commit()
            #expect(calls.withLock { $0 } == ["Begin", "Write", "Write", "Commit", "Commit"])
        }
    }

    @Test func aServiceThatHasLostAPartOfAnUploadIsReported() async throws {
        try await Self.with { method, count in
            switch (method, count) {
            case ("Begin", _): #"{"parameters":{"offset":0}}"#
            case ("Write", 0): #"{"parameters":{"offset":2}}"#
            case ("Write", _): Self.refusal("WrongOffset", #""id":"x","offset":1"#)
            default: nil
            }
        } _: { area in
            let writer = try await area.writer("a")
            try await writer.write([1, 2])
            let error = try await Self.failure { try await writer.write([3]) }
            #expect(error.code == .ended)
            #expect(error.description == "could not do it; try again")
        }
    }

    @Test func bytesWhoseReplyWasLostAreNotAppendedTwice() async throws {
        // The first call has appended them, or not.
        for isAppended in [true, false] {
            let appends = Mutex(0)
            try await Self.with { method, count in
                switch method {
                case "Stat": return #"{"parameters":{"entry":\#(Self.entry),"token":"t"}}"#
                case "Append":
                    appends.withLock { $0 += 1 }
                    return count == 0 ? nil : #"{"parameters":{"size":4}}"#
                case "Read" where isAppended: return #"{"parameters":{"data":"AwQ=","size":4,"token":"t"}}"#
                // The file does not exist yet.
                case "Read": return Self.refusal("NotFound", #""area":"documents","path":"a""#)
                default: return nil
                }
            } _: { area in
                try await area.append([3, 4], to: "a")
                #expect(appends.withLock { $0 } == (isAppended ? 1 : 2))
            }
        }
    }

    @Test func aChangeThatMustNotBeMadeTwiceIsSentOnce() async throws {
        let removals = Mutex(0)
        try await Self.with { method, _ in
            if method == "Remove" { removals.withLock { $0 += 1 } }
            return nil
        } _: { area in
            let error = try await Self.failure { try await area.remove("a") }
            #expect(error.code == .unreachable)
            #expect(error.remedy?.hasSuffix("the change may have been made: check the file") == true)
            #expect(removals.withLock { $0 } == 1)
        }
    }

    @Test(
        arguments: [
            (#"{"error":"dev.cleat.Service.PermissionDenied","parameters":{"message":"you are nobody"}}"#, .denied),
            (#"{"error":"a.b.C"}"#, .failed), ("hello", .failed), (#"{"parameters":{"entry":7}}"#, .failed),
            (#"{"parameters":{}}"#, .failed),
            (#"{"error":"dev.cleat.Files.AreaUnavailable","parameters":{"area":"a","message":"m"}}"#, .failed),
            (#"{"error":"dev.cleat.Files.Refused","parameters":{"reason":"hard_link","message":"m"}}"#, .hardLink),
            (#"{"error":"dev.cleat.Files.Refused","parameters":{"reason":"unheard_of","message":"m"}}"#, .failed),
        ] as [(String, FilesError.Code)])
    func answersThatAreRefusalsOrNonsense(_ answer: String, _ code: FilesError.Code) async throws {
        try await Self.with { _, _ in
            answer
        } _: { area in
            let calls: [() async throws -> Void] = [
                { _ = try await area.attributes(of: "a") }, { _ = try await area.read("a") },
                { try await area.write([1], to: "a") }, { for try await _ in area.list() {} },
            ]
            for call in calls {
                let error = try await Self.failure(call)
                #expect(error.code == code, "\(error)")
            }
        }
    }

    @Test func pagesThatDoNotAdvanceAreRefused() async throws {
        try await Self.with { method, _ in
            method == "List" ? #"{"parameters":{"entries":[\#(Self.entry)],"next":"a"}}"# : nil
        } _: { area in
            var count = 0
            let error = try await Self.failure { for try await _ in area.list() { count += 1 } }
            #expect(error.code == .failed && count == 1)
        }
    }

    @Test func inMemoryTheProgramGivesTheFiles() async throws {
        let directory = try TemporaryDirectory()
        let sandbox = try await Sandbox.open(at: directory.appending("files"))
        let cleat = try await Cleat.inMemory(files: ["documents": sandbox])
        let area = try await cleat.files.area("documents")
        try await area.write([1, 2], to: "a")
        #expect(try await sandbox.read("a") == [1, 2])
        let error = try await Self.failure { _ = try await cleat.files.area("library") }
        #expect(error.code == .unknownArea)
        #expect(error.description.hasSuffix("pass its files when the settings are opened: `files:`"))
    }
}
