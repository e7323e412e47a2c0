import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import Synchronization
import SystemPackage
import Testing

@testable import cleat

/// Tests of the calls of `cleat file append`.
@Suite struct FileAppendTests {
    private static let pieces = SeededBytes.of(APILimits.piece * 2 + 12_345)
    private static let words = ["file", "append", "documents/log", "--file"]

    /// The answers of a board, to which a command can connect again.
    private static func answers(_ fake: FakeFiles) -> [String: CannedBoard.Answer] {
        var answers = fake.answers
        answers[SettingsInterface.Log.name] = { _ in
            SettingsInterface.Log.Reply(store: "s", generations: []).wire
        }
        return answers
    }

    /// Writes the pieces to a file, and returns its path.
    private static func file(in board: CannedBoard) throws -> String {
        try board.directory.write("", to: "new.log")
        let path = board.directory.path.appending("new.log")
        let file = try FileDescriptor.open(path, .writeOnly)
        _ = try file.closeAfter { try file.writeAll(pieces) }
        return path.string
    }

    @Test func appendsInPieces() async throws {
        let fake = FakeFiles(["documents/log": [1, 2, 3]])
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await board.cleat(Self.words + [try Self.file(in: board)])
            #expect(result.status == 0 && result.errorText.isEmpty, "\(result)")
            #expect(result.output == "appended 1.0 MiB to documents/log\n")
            #expect(fake.contents("documents/log") == [1, 2, 3] + Self.pieces)
            #expect(fake.state.withLock { $0.largestPiece } == APILimits.piece)
            let input = try await board.script(
                """
                printf ab | "$CLEAT" file append documents/new; "$CLEAT" file append documents/new </dev/null
                : | "$CLEAT" file append documents/empty
                printf c | "$CLEAT" file append documents/new --output json
                """)
            #expect(input.status == 0 && fake.contents("documents/new") == Array("abc".utf8), "\(input)")
            #expect(fake.contents("documents/empty") == [])
            let json = try JSONReader.read(input.output.split(separator: "\n").suffix(6).joined())
            #expect(json["appended"]?.intValue == 1 && json["size"]?.intValue == 3, "\(input)")
        }
    }

    /// The connection breaks at the second piece: before it is appended, or before the reply.
    @Test(arguments: [false, true]) func aLostPieceIsAppendedOnce(isAppended: Bool) async throws {
        let fake = FakeFiles(
            ["documents/log": [7]],
            before: { call, number in
                if !isAppended, call.method == "Append", number == 2 { call.disconnect() }
                if !isAppended, call.method == "Append", number == 2 { throw VarlinkError.methodNotImplemented("x") }
            },
            after: { call, reply in
                // The third call is the repeated one.
                if isAppended, call.method == "Append", reply["size"]?.intValue == 1 + 2 * APILimits.piece {
                    call.disconnect()
                }
                return reply
            })
        try await CannedBoard.serving(Self.answers(fake)) { board in
            let result = try await board.cleat(Self.words + [try Self.file(in: board)])
            #expect(result.status == 0 && result.errorText.contains("retrying"), "\(result)")
            #expect(fake.contents("documents/log") == [7] + Self.pieces)
            #expect(fake.count("Append") == 4)
            #expect(fake.count("Read") == (isAppended ? 1 : 0))
        }
    }

    /// Another client appends first: before the first piece is sent it is followed, later it is an error.
    @Test(arguments: [1, 2]) func anotherClientAppends(at number: Int) async throws {
        let box = Mutex<FakeFiles?>(nil)
        let fake = FakeFiles(before: { call, count in
            guard call.method == "Append", count == number else { return }
            box.withLock { $0 }?.state.withLock { $0.files["documents/log", default: []]?.append(9) }
        })
        box.withLock { $0 = fake }
        defer { box.withLock { $0 = nil } }
        try await CannedBoard.serving(fake.answers) { board in
            let path = try Self.file(in: board)
            let result = try await board.cleat(Self.words + [path, "--output", "json"])
            guard number == 2 else {
                #expect(result.status == 0 && fake.contents("documents/log") == [9] + Self.pieces, "\(result)")
                return
            }
            let error = try JSONReader.read(result.errorText)
            #expect(result.status == 75 && error["parameters"]?["appended"]?.intValue == APILimits.piece, "\(result)")
            #expect(fake.contents("documents/log") == Self.pieces.prefix(APILimits.piece) + [9])
            #expect(error["remedy"]?.stringValue == "append the rest, from `tail -c +524289` of \(path)", "\(error)")
        }
    }

    @Test func aRefusedPieceIsReportedWithTheAppendedPart() async throws {
        let fake = FakeFiles(before: { call, number in
            guard call.method == "Append", number == 3 else { return }
            throw APIError.files(FilesError(.quotaExceeded, area: "documents", path: "log", message: "it is full"))
                .varlinkError
        })
        try await CannedBoard.serving(fake.answers) { board in
            let path = try Self.file(in: board)
            let result = try await board.cleat(Self.words + [path])
            #expect(result.status == 1 && result.output.isEmpty)
            #expect(
                result.errorText == """
                    cleat: it is full
                      1048576 of 1060921 bytes were appended
                      append the rest, from `tail -c +1048577` of \(path)

                    """)
            // The command for the rest is right.
            let rest = try await board.script(
                #"tail -c +1048577 "$1" | "$CLEAT" file append documents/log"#, [path])
            #expect(rest.status == 0 && fake.contents("documents/log") == Self.pieces, "\(rest)")
        }
    }

    /// A service that names another size than the right one, or a conflict for ever, is not believed.
    @Test(arguments: [false, true]) func aServiceThatIsWrong(isConflict: Bool) async throws {
        let fake = FakeFiles(
            before: { call, _ in
                guard isConflict, call.method == "Append" else { return }
                throw APIError.files(FilesError(.changed, area: "documents", path: "log", message: "no")).varlinkError
            },
            after: { call, reply in
                var reply = reply
                if call.method == "Append" { reply["size"] = .integer(.max) }
                return reply
            })
        try await CannedBoard.serving(fake.answers) { board in
            let result = try await board.cleat(Self.words + [try Self.file(in: board), "--output", "json"])
            #expect(result.status == (isConflict ? 75 : 1), "\(result)")
            #expect(try JSONReader.read(result.errorText)["parameters"]?["appended"]?.intValue == 0)
            #expect(fake.count("Append") == (isConflict ? 32 : 1))
        }
    }
}
