import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// A board whose service is killed in the middle of changes, and what must hold after each of its starts.
///
/// Change N sets four settings to N, which a file of the host name, a link, a file from a template and a document that goes
/// along follow.
struct CrashBench: Sendable {
    /// The way a change is made and ended.
    enum Course: CaseIterable, Sendable {
        case plain, confirmed, aborted
    }

    /// The last reported phase of a change.
    enum Told: Sendable {
        case nothing, pending, confirmed, undone
    }

    let board: Board

    init(_ board: Board) throws {
        self.board = board
        try board.makeSourceDirectories()
        try board.write(
            admin: "schema.d/10-demo.json",
            """
            { "type": "object", "properties": { "demo": { "type": "object", "properties": {
              "number": { "type": "integer" } } } },
              "x-cleat-apply": [ { "file": "/etc/demo.conf", "escape": "line", "makeDirectories": true,
                "template": ["number = {{demo/number}}", "again = {{demo/number}}"] },
                { "command": ["/bin/true"] } ] }
            """)
    }

    /// Makes a change and ends it, as far as the service lives.
    ///
    /// - Returns: the last reported phase.
    func run(_ course: Course, _ number: Int64, on agent: RunningAgent) async -> Told {
        var told = Told.nothing
        do {
            let connection = try await agent.connect()
            defer { connection.close() }
            let id = Self.id(number)
            let upload = try await send(Self.document(number), as: "upload-\(number)", connection)
            _ = try await connection.call(
                SettingsInterface.Set.self,
                .init(
                    changes: Self.changes(number), id: id, confirm: course == .plain ? nil : 600_000,
                    uploads: [upload]))
            told = course == .plain ? .confirmed : .pending
            switch course {
            case .plain: break
            case .confirmed:
                _ = try await connection.call(TransactionsInterface.Confirm.self, .init(id: id))
                told = .confirmed
            case .aborted:
                _ = try await connection.call(TransactionsInterface.Abort.self, .init(id: id))
                told = .undone
            }
        } catch {
            // It has died: the last answer before counts.
        }
        return told
    }

    /// Requires that settings and files are one permitted state; then ends the change that is still on trial.
    ///
    /// - Returns: the number of the state that there is now.
    func check(
        _ agent: RunningAgent, before: Int64, _ number: Int64, _ course: Course, _ told: Told, _ note: Comment
    ) async throws -> Int64 {
        for upload in try await agent.call(FilesInterface.Uploads.self, .init()).uploads {
            _ = try await agent.call(FilesInterface.Abort.self, .init(id: upload.id))
        }
        let found = try await state(agent, note)
        let trial = try await agent.status().trial
        var allowed: Set<Int64>
        switch (told, course) {
        case (.nothing, _): allowed = [before, number]
        // The confirmation, or the revert, may be done, but not reported.
        case (.pending, .aborted): allowed = [before, number]
        case (.pending, _), (.confirmed, _): allowed = [number]
        case (.undone, _): allowed = [before]
        }
        #expect(allowed.contains(found), "\(note): \(found) is in force after \(told), of \(before) and \(number)")
        guard let trial else {
            if told == .pending, course == .aborted {
                #expect(found == before, "\(note): it is neither on trial nor undone")
            }
            return found
        }
        #expect(trial.id == Self.id(number) && trial.phase == .awaitingConfirm && found == number, "\(note): \(trial)")
        #expect(told == .nothing || told == .pending, "\(note): it is on trial after \(told)")
        if number.isMultiple(of: 2) {
            _ = try await agent.call(TransactionsInterface.Confirm.self, .init(id: trial.id))
        } else {
            _ = try await agent.call(TransactionsInterface.Abort.self, .init(id: trial.id))
        }
        let end = try await state(agent, note)
        #expect(end == (number.isMultiple(of: 2) ? number : before), "\(note): \(end) after the end of its trial")
        return end
    }

    /// The number of the state that is in force; settings and files must all be of it.
    func state(_ agent: RunningAgent, _ note: Comment) async throws -> Int64 {
        let number = try #require(await agent.get("demo/number")?.integerValue, note)
        #expect(try await agent.get("system/hostname") == .string("board-\(number)"), note)
        #expect(try await agent.get("system/timezone") == .string(Self.zone(number)), note)
        #expect(try text("etc/hostname") == "board-\(number)\n", note)
        #expect(try text("etc/demo.conf") == "number = \(number)\nagain = \(number)\n", note)
        #expect(try SystemCalls.readLink(place("etc/localtime")) == "../usr/share/zoneinfo/\(Self.zone(number))", note)
        let document = try contents(of: FilePath(board.state + "/files/documents/crash/number"))
        #expect(document == Self.document(number), note)
        let left = try (names(in: place("etc")) + names(in: board.state + "/files/documents/crash")).filter {
            $0.hasPrefix(".cleat-")
        }
        #expect(left.isEmpty, "\(note): \(left)")
        return number
    }

    private func place(_ name: String) -> String { board.root + "/" + name }

    private func text(_ name: String) throws -> String { try contents(of: FilePath(place(name))) }

    private static func document(_ number: Int64) -> String { "document \(number)\n" }

    /// Sends what a document shall hold, to no place.
    private func send(_ text: String, as id: String, _ connection: VarlinkConnection) async throws -> String {
        _ = try await connection.call(
            FilesInterface.Begin.self,
            .init(
                id: id, area: "temporary", path: id, size: Int64(text.utf8.count),
                sha256: SHA256.hexadecimal(of: text.utf8)))
        _ = try await connection.call(
            FilesInterface.Write.self, .init(id: id, offset: 0, data: Base64.encode(Array(text.utf8))))
        return id
    }

    private static func id(_ number: Int64) -> String { "change-\(number)" }

    private static func zone(_ number: Int64) -> String { "Etc/GMT-\(number % Board.zones)" }

    private static func changes(_ number: Int64) -> [RequestedChange] {
        [
            .init(path: "demo/number", value: .integer(number)),
            .init(
                path: "documents/crash~1number",
                value: .string("sha256:" + SHA256.hexadecimal(of: document(number).utf8))),
            .init(path: "system/hostname", value: .string("board-\(number)")),
            .init(path: "system/timezone", value: .string(zone(number))),
        ]
    }
}
