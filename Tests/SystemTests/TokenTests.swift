import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite(
    "Tokens of programs in containers", .tags(.board), .enabled(if: Machine.isRoot, Machine.rootReason),
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct TokenTests {
    private static let token = String(repeating: "k", count: 40)
    private static let tokens = "{ tokens: [ { uid: 61235, sha256: \"\(SHA256.hexadecimal(of: token.utf8))\" } ] }"
    private static let status = #"{"method":"dev.cleat.Service.Status"}"#
    private static let change = #"""
        {"method":"dev.cleat.Settings.Set","parameters":{"changes":[{"path":"system/hostname","value":"x"}]}}
        """#

    private static func prove(_ token: String) -> String {
        #"{"method":"dev.cleat.Service.Authenticate","parameters":{"method":"token","credential":"\#(token)"}}"#
    }

    /// Starts a service on a system with the user `meter`, number 61235, in group `cleat`.
    private static func start(_ board: Board) async throws -> RunningAgent {
        let namespace = try await board.makeNamespace(
            """
            { grep -v '^cleat:' /etc/group; echo cleat:x:61234:meter; } >$D/group
            { grep -v '^meter:' /etc/passwd; echo meter:x:61235:61235::/:/bin/false; } >$D/passwd
            mount --bind $D/group /etc/group
            mount --bind $D/passwd /etc/passwd
            """)
        let agent = try await board.start(namespace.options)
        try await board.admitStrangers()
        let copy = try await board.script(#"cp "$CLEAT" "$D/cleat" && chmod 755 "$D/cleat""#)
        try #require(copy.status == 0, "\(copy)")
        return agent
    }

    /// Makes calls on one connection as user 65534, and gives the answers.
    private static func call(_ board: Board, _ messages: String...) async throws -> [JSONObject] {
        let result = try await board.script(
            #"printf '%s\0' "$@" | "$D/relay" connect --socket "$CLEAT_SOCKET" 2>&1"#, messages, user: .stranger)
        try #require(result.status == 0 && result.output.hasSuffix("\0"), "\(result)")
        return try result.output.split(separator: "\0").map { try #require(JSONReader.read(String($0)).objectValue) }
    }

    private static func write(_ board: Board, _ text: String, mode: UInt16 = 0o600) async throws -> Board.Finished {
        try board.directory.write(text, to: "etc/tokens.json5", mode: mode)
        return try await board.cleat("reload")
    }

    @Test("A process of user 65534 gets the rights of a token's user; without the token it has its own")
    func container() async throws {
        try await Board.with { board in
            let agent = try await Self.start(board)
            func mode() async throws -> String { try await board.script("stat -c %a $CLEAT_SOCKET").output }
            #expect(try await mode() == "660\n")
            let loaded = try await Self.write(board, Self.tokens)
            #expect(loaded.status == 0, "\(loaded)")
            #expect(try await mode() == "666\n")

            let denied: JSONValue = "dev.cleat.Service.PermissionDenied"
            let without = try await Self.call(board, Self.status, Self.change, Self.prove(Self.token), Self.change)
            #expect(without.map { $0["error"] } == [denied, denied, denied, denied], "\(without)")
            let wrong = try await Self.call(board, Self.prove(Self.token + "k"), Self.change)
            #expect(wrong.map { $0["error"] } == [denied, denied], "\(wrong)")
            #expect(try await agent.status().generation == 0)

            let hook = #"{"method":"dev.cleat.Hooks.Run","parameters":{"name":"x"}}"#
            let with = try await Self.call(board, Self.prove(Self.token), Self.change, Self.status, hook)
            #expect(with.map { $0["error"] } == [nil, nil, nil, denied], "\(with)")
            let caller = with[2]["parameters"]?.objectValue?["caller"]?.objectValue
            #expect(caller?["uid"] == 61_235 && caller?["name"] == "meter" && caller?["proof"] == "token")
            let log = try await agent.call(SettingsInterface.Log.self, .init(limit: 1))
            #expect(log.generations.first?.author == "meter (by token)")

            // A refused file makes the token invalid, and closes the socket for strangers.
            let refused = try await Self.write(board, Self.tokens, mode: 0o644)
            #expect((refused.output + refused.errorText).contains("tokens.json5"), "\(refused)")
            #expect(try await mode() == "660\n")
            try SystemCalls.changeMode(board.socket, 0o666)
            let after = try await Self.call(board, Self.prove(Self.token), Self.change)
            #expect(after.map { $0["error"] } == [denied, denied], "\(after)")
        }
    }

    @Test("cleat proves the token of CLEAT_TOKEN_FILE; a file that others can read is refused")
    func command() async throws {
        try await Board.with { board in
            _ = try await Self.start(board)
            _ = try await Self.write(board, Self.tokens)
            let file = try board.directory.write(Self.token + "\n", to: "token", mode: 0o600)
            // Root's own command loses root's rights with the token.
            let root = try await board.cleat("status", environment: ["CLEAT_TOKEN_FILE": file])
            #expect(root.status == 0 && root.output.contains("meter (uid 61235), by token"), "\(root)")
            let reload = try await board.cleat("reload", environment: ["CLEAT_TOKEN_FILE": file])
            #expect(reload.status == 77, "\(reload)")
            func run(_ words: String) async throws -> Board.Finished {
                try await board.script(
                    #"exec "$D/cleat" \#(words) 2>&1"#, environment: ["CLEAT_TOKEN_FILE": file], user: .stranger)
            }
            try await board.script(#"chown 65534:65534 "$D/token""#).requireSuccess()
            #expect(try await run("set system/hostname=x").status == 0)
            let undone = try await run("rollback")
            #expect(undone.status == 0, "its own newest change: \(undone)")
            try SystemCalls.changeMode(file, 0o644)
            let open = try await run("get system/hostname")
            #expect(open.status == 77 && open.output.contains("give it mode 0600"), "\(open)")
            try board.directory.write(Self.token + "x", to: "token", mode: 0o600)
            let wrong = try await run("get system/hostname")
            #expect(wrong.status == 77 && wrong.output.contains("the credential is not valid"), "\(wrong)")
        }
    }
}

extension Board.Finished {
    fileprivate func requireSuccess() throws { try #require(status == 0, "\(self)") }
}
