import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

@testable import CleatAgent

@Suite("Tokens of clients")
struct TokenTests {
    /// A token of the shortest valid size.
    private static let token = String(repeating: "k", count: 32)
    private static let peer = PeerCredentials(pid: 77, uid: 65_534, gid: 65_534)

    private static func hash(_ token: String) -> String { SHA256.hexadecimal(of: token.utf8) }
    private static func entry(_ uid: Int, _ token: String = token) -> String {
        "{ uid: \(uid), sha256: \"\(hash(token))\" }"
    }

    /// A file of tokens below a directory with users of its own.
    private struct Bench {
        let directory: TemporaryDirectory
        let tokens: TokenAuthenticator

        init() throws {
            directory = try TemporaryDirectory()
            try directory.write(
                "meter:x:1000:1000::/:/bin/false\nroot:x:0:0::/:/bin/sh\na:x:1001:1001::/:/bin/false\nb:x:1002:1002::/:/bin/false\n",
                to: "passwd")
            try directory.write("meter:x:1000:\ncleat:x:600:other,meter\n", to: "group")
            tokens = TokenAuthenticator(
                file: directory.path.appending("tokens.json5"), users: directory.text, log: .quiet)
        }

        func load(_ text: String, mode: UInt16 = 0o600) throws {
            try directory.write(text, to: "tokens.json5", mode: mode)
            load()
        }

        // Only the directory's owner could have written the file.
        func load() { tokens.load(policy: TrustPolicy(user: ProcessSelf.uid)) }

        func identity(_ token: String?) -> ClientIdentity? { tokens.identity(of: TokenTests.peer, presenting: token) }
    }

    // MARK: The file

    @Test("A token proves its user with the user's groups; any other credential proves nothing")
    func proof() throws {
        let bench = try Bench()
        #expect(!bench.tokens.hasTokens && bench.identity(Self.token) == nil)
        bench.load()
        #expect(bench.tokens.findings.isEmpty, "without a file there is nothing to report")
        let long = String(repeating: "l", count: 257)
        try bench.load(
            "{ tokens: [ \(Self.entry(1_000)), \(Self.entry(1_001, "short")), \(Self.entry(1_002, long)) ] }")
        #expect(bench.tokens.hasTokens)
        #expect(bench.identity(Self.token) == ClientIdentity(uid: 1_000, groups: [1_000, 600], proof: "token"))
        for wrong in [
            nil, "", "short", long, Self.token + "k", String(Self.token.dropLast()) + "l", Self.hash(Self.token),
        ] {
            #expect(bench.identity(wrong) == nil, "\(wrong ?? "none")")
        }
        try bench.load("{ tokens: [] }")
        #expect(!bench.tokens.hasTokens && bench.identity(Self.token) == nil)
    }

    @Test("A token of an unknown user proves nothing, and the doctor reports it")
    func unknownUser() throws {
        let bench = try Bench()
        try bench.load("{ tokens: [ \(Self.entry(4_242)) ] }")
        #expect(bench.identity(Self.token) == nil)
        #expect(bench.tokens.findings.map(\.message) == ["has a token for uid 4242, which is no user of this system"])
        try bench.directory.write("new:x:4242:600::/:/bin/false\n", to: "passwd")
        #expect(bench.identity(Self.token)?.groups == [600] && bench.tokens.findings.isEmpty)
    }

    /// The states of the file that are refused, with a part of the message.
    enum Unsafe: String, CaseIterable, Sendable {
        case worldReadable, groupReadable, worldWritable, groupWritable, foreign, link, directory, fifo, large, garbage

        var message: String {
            switch self {
            case .worldReadable, .groupReadable, .worldWritable, .groupWritable:
                "can be read or written by other users; give it mode 0600"
            case .foreign: "belongs to user 65534"
            case .link: "is a symbolic link"
            case .directory: "is a directory"
            case .fifo: "is not a regular file"
            case .large: "has more than 65536 bytes"
            case .garbage: "expected"
            }
        }
    }

    @Test(
        "A file that others could have read or written, or that is none, is refused: no token is valid",
        arguments: Unsafe.allCases)
    func unsafeFile(_ state: Unsafe) throws {
        // Only root can give a file away.
        if state == .foreign, ProcessSelf.uid != 0 { return }
        let bench = try Bench()
        let valid = "{ tokens: [ \(Self.entry(1_000)) ] }"
        try bench.load(valid)
        #expect(bench.identity(Self.token) != nil)
        let path = bench.directory.appending("tokens.json5")
        switch state {
        case .worldReadable: try Files.setMode(path, 0o604)
        case .groupReadable: try Files.setMode(path, 0o640)
        case .worldWritable: try Files.setMode(path, 0o602)
        case .groupWritable: try Files.setMode(path, 0o620)
        case .foreign: try Files.setOwner(path, user: 65_534)
        case .link:
            try bench.directory.write(valid, to: "real", mode: 0o600)
            try Files.remove(path)
            try Files.makeLink(path, to: bench.directory.appending("real"))
        case .directory:
            try Files.remove(path)
            try Files.makeDirectory(path)
        case .fifo:
            try Files.remove(path)
            try Files.makePipe(path)
        case .large: try bench.load(valid + String(repeating: " ", count: 65_536))
        case .garbage: try bench.load("token")
        }
        bench.load()
        #expect(!bench.tokens.hasTokens && bench.identity(Self.token) == nil)
        let finding = try #require(bench.tokens.findings.first)
        #expect(
            finding.message.contains(state.message) && finding.remedy.contains("until then no token is valid"),
            "\(finding)")
    }

    static let refused = [
        ("{ tokens: [ \(entry(1_000)), \(entry(1_000, "other")) ] }", "uid 1000 has a token already"),
        ("{ tokens: [ \(entry(1_000)), \(entry(1_001)) ] }", "sha256 is that of the token of uid 1000, too"),
        ("{ tokens: [ \(entry(0)) ] }", "uid 0 may do everything"),
        ("{ tokens: [ \(entry(900)) ] }", "uid 900 may do everything"),
        ("{ tokens: [ \(entry(1_000, "")) ] }", "of a token that is not empty"),
        ("{ tokens: [ { uid: 1000, sha256: \"hunter2hunter2\" } ] }", "sha256 must be the 64 hexadecimal digits"),
        ("{ tokens: [ { uid: 1000 } ] }", "sha256 must be"), ("{ tokens: [ { sha256: \"\" } ] }", "uid must be"),
        ("{ tokens: [ { uid: -1, sha256: \"\" } ] }", "uid must be"),
        ("{ tokens: [ { uid: 4294967295, sha256: \"\" } ] }", "uid must be"),
        ("{ tokens: [ { uid: 1000, token: \"\" } ] }", "unknown member 'token'"), ("{}", "tokens must be a list"),
        ("[]", "must be an object"), ("{ tokens: {} }", "tokens must be a list"),
    ]

    @Test("A file with a wrong token is refused with its position, and never quoted", arguments: refused)
    func wrongText(_ text: String, _ message: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try TokenFile.read(Array(text.utf8), owner: 900) }
        #expect(error?.message.contains(message) == true, "\(error?.description ?? "")")
        #expect(error?.position != nil && error?.message.contains("hunter2") == false)
    }

    // MARK: Rights

    @Test("A token gives the rights of its user: root's process loses its own, and an SSH session's address gives none")
    func rights() throws {
        let bench = try Bench()
        try bench.load("{ tokens: [ \(Self.entry(1_000)) ] }")
        let root = PeerCredentials(pid: 1, uid: 0, gid: 0)
        let identity = try #require(bench.tokens.identity(of: root, presenting: Self.token))
        let access = Access(owner: 0, group: 600)
        #expect(access.decide(identity, .write) && !access.decide(identity, .execute) && !access.reveals(identity))
        #expect(!Access(owner: 0, group: 601).decide(identity, .read))
        #expect(PeerAuthenticator().identity(of: root, presenting: Self.token) == nil)

        let nobody = ClientIdentity(uid: 4_000_000_000, groups: [], proof: "token")
        let author = Author(nobody, claim: "192.0.2.7")
        #expect(author.name == "uid 4000000000" && !author.isPrivileged)
        #expect(author.record == "uid 4000000000 (by token; from 192.0.2.7, unverified)")
        #expect(Author(ClientIdentity(uid: 4_000_000_000, groups: [], proof: "peer")).record == author.name)
        let forged = Array("SSH_CONNECTION=root) 1 10.0.0.1 2\0".utf8)
        #expect(CallerRoute.session(inEnvironment: forged) == nil)
    }

    /// A method of a test: the credential is the user's number.
    private struct Badge: Authenticator {
        let method = "badge"
        func identity(of peer: PeerCredentials, presenting credential: String?) -> ClientIdentity? {
            credential.flatMap { UInt32($0) }.map { ClientIdentity(uid: $0, groups: [$0], proof: method) }
        }
    }

    /// The part of `dev.cleat.Service` that proves identities; its status is the caller only.
    private struct Proving: VarlinkService {
        let interface = InterfaceDescription(constant: ServiceInterface.idl)
        func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
            if call.method == "Authenticate" { return VarlinkReply(try StatusService.authenticate(call)) }
            return VarlinkReply(Caller(call.identity, claim: nil))
        }
    }

    @Test("A third method needs an entry in the list of methods, and nothing else")
    func third() async throws {
        try await withLoop { loop in
            let bench = try Bench()
            let socket = ClientSocket(
                path: "/nowhere", tokens: bench.tokens, log: .quiet, pages: ProgramPages(on: loop) {})
            var configuration = socket.configuration(stallTimeout: .seconds(5))
            configuration.authenticators.append(Badge())
            let server = VarlinkServer(loop: loop, services: [Proving()], configuration: configuration)
            func connect() throws -> VarlinkConnection {
                let (near, far) = try ByteStream.pair(loop: loop)
                loop.task { await server.serve(far) }
                return VarlinkConnection(loop: loop, stream: near)
            }
            func prove(_ method: String, _ credential: String, on connection: VarlinkConnection) async throws
                -> JSONObject
            {
                try await connection.call(
                    "dev.cleat.Service.Authenticate", ["method": .string(method), "credential": .string(credential)])
            }
            let stranger = try connect()
            let proved = try await prove("badge", "4242", on: stranger)
            #expect(proved["caller"]?.objectValue?["proof"] == "badge")
            // The process is the service's own user, and has lost its rights.
            await #expect(throws: VarlinkClientError.self) { try await stranger.call("dev.cleat.Service.Status") }
            let owner = try connect()
            _ = try await prove("badge", String(ProcessSelf.uid), on: owner)
            #expect(try await owner.call("dev.cleat.Service.Status")["proof"] == "badge")
            // The connections of an identity are counted, not those of the process that proves it.
            var members: [VarlinkConnection] = []
            for _ in 0..<VarlinkLimits.standard.strangers / 2 {
                let member = try connect()
                _ = try await prove("badge", "4243", on: member)
                members.append(member)
            }
            let surplus = try connect()
            let full = await #expect(throws: VarlinkClientError.self) { try await prove("badge", "4243", on: surplus) }
            #expect(full?.remote?.name == APIError.tooManyConnections(limit: 1).name)
            for member in members { member.close() }
            // No method, and none that proves a connection only, accepts a credential; all refusals are the same.
            var messages: Set<String> = []
            for (method, credential) in [
                ("none", "0"), ("peer", "0"), ("token", "0"), ("token", Self.token), ("badge", "x"),
            ] {
                let connection = try connect()
                let error = await #expect(throws: VarlinkClientError.self) {
                    try await prove(method, credential, on: connection)
                }
                messages.insert("\(error?.remote?.name ?? "") \(error?.remote?.parameters ?? [:])")
                #expect(try await connection.call("dev.cleat.Service.Status")["proof"] == "peer")
            }
            #expect(messages.count == 1 && messages.first?.contains("PermissionDenied") == true, "\(messages)")
        }
    }
}
