import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatVarlink
import Logging
import Synchronization
import SystemPackage

/// Proves the user of a client by a token, for programs in containers, whose own user the board does not know.
///
/// The file of tokens belongs to root or the service's user, and only its owner may read it. While it is refused, no
/// token is valid.
final class TokenAuthenticator: Authenticator {
    private struct State {
        var tokens: [ClientToken] = []
        var problem: ConfigurationProblem?
    }

    /// The possible sizes of a token in bytes.
    static let sizes = 32...256

    let method = "token"
    private let file: FilePath
    private let root: String?
    private let users: String
    private let log: Logger
    private let clients: ClientLog
    private let state = Mutex(State())

    /// Creates the method without tokens; `users` is the directory of `passwd` and `group`.
    init(file: FilePath, root: FilePath? = nil, users: String = "/etc", log: Logger) {
        (self.file, self.root, self.users, self.log) = (file, root?.string, users, log)
        clients = ClientLog(log)
    }

    /// True if there are valid tokens, so that every user may connect to the socket.
    var hasTokens: Bool { state.withLock { !$0.tokens.isEmpty } }

    /// Reads the file; if it is refused, no token is valid.
    func load(policy: TrustPolicy? = nil) {
        var (tokens, problem): ([ClientToken], ConfigurationProblem?) = ([], nil)
        do {
            let policy = policy ?? TrustPolicy.current(root: root)
            let text = try policy.contents(of: file.string, limit: TokenFile.sizeLimit, for: .secret)
            tokens = try TokenFile.read(text)
        } catch let error as ConfigurationError {
            problem = ConfigurationProblem(position: error.position, message: error.message)
        } catch {
            // Without a file there are no tokens.
            if (error as? TrustError)?.errno != .noSuchFileOrDirectory {
                problem = ConfigurationProblem(message: "\(error)")
            }
        }
        state.withLock { ($0.tokens, $0.problem) = (tokens, problem) }
        for finding in findings { log.error("\(finding.subject): \(finding.message); \(finding.remedy)") }
    }

    /// The problem of the file, or the tokens of unknown users.
    var findings: [DoctorFinding] {
        let (tokens, problem) = state.withLock { ($0.tokens, $0.problem) }
        if let problem {
            return [
                DoctorFinding(
                    kind: .configuration, subject: file.string, message: problem.message,
                    remedy: "correct the file, then run 'cleat reload'; until then no token is valid",
                    line: problem.position?.line, column: problem.position?.column)
            ]
        }
        return tokens.filter { UserDatabase.name(of: $0.uid, directory: users) == nil }.map { token in
            DoctorFinding(
                kind: .configuration, subject: file.string,
                message: "has a token for uid \(token.uid), which is no user of this system",
                remedy: "create the user, or remove the token, then run 'cleat reload'; until then it is not valid")
        }
    }

    func identity(of peer: PeerCredentials, presenting credential: String?) -> ClientIdentity? {
        guard let credential else { return nil }
        if Self.sizes.contains(credential.utf8.count), let uid = user(of: credential),
            let name = UserDatabase.name(of: uid, directory: users)
        {
            let groups = UserDatabase.groups(ofUser: name, directory: users)
            // The files have been exchanged meanwhile, or cannot be read.
            if !groups.isEmpty { return ClientIdentity(uid: uid, groups: groups, proof: method) }
        }
        clients.warn(of: peer, "it presented a token that is not valid")
        return nil
    }

    /// Returns the user of a token, in a time that does not depend on equal bytes; nil if the file has no such token.
    private func user(of credential: String) -> UInt32? {
        var sum = SHA256()
        sum.update(credential.utf8)
        let digest = sum.finalize()
        var found: UInt32?
        for token in state.withLock({ $0.tokens }) {
            var difference: UInt8 = 0
            for index in digest.indices { difference |= digest[index] ^ token.digest[index] }
            if difference == 0 { found = token.uid }
        }
        return found
    }
}
