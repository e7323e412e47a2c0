import CleatAPI
import CleatIO
import CleatVarlink
import Logging
import SystemPackage

/// The socket for clients, and the rules for those who connect to it.
struct ClientSocket: Sendable {
    /// The path of the socket.
    let path: FilePath
    /// The rules that decide who may call what.
    let access = Access(owner: ProcessSelf.uid, group: UserDatabase.gid(ofGroup: Access.group))
    /// The tokens that prove a user.
    let tokens: TokenAuthenticator
    /// The log for connections that end badly.
    let log: Logger
    /// The pages of the program, which each call touches.
    let pages: ProgramPages

    /// Creates the socket for clients: accessible to the user alone; if root runs the service, to the group, and to
    /// everyone while tokens prove users, since a program in a container is in no group of the board.
    ///
    /// In a user namespace that lacks the group, the socket is for root, which the log says.
    func listen(on loop: EventLoop) throws -> UnixListener {
        if let group = access.group, sharedGroup == nil, ProcessSelf.uid == 0 {
            log.warning(
                """
                group \(Access.group) (gid \(group)) is not in this user namespace, so its members cannot use \(path); \
                map its gid where the namespace is made (/proc/self/gid_map)
                """)
        }
        return try UnixListener(loop: loop, path: path.string, mode: mode, group: sharedGroup)
    }

    /// Reads the tokens again, and gives the socket the mode for them.
    func reload(_ listener: UnixListener) {
        tokens.load()
        do {
            try listener.setMode(mode)
        } catch {
            log.error("the mode of \(path) cannot be changed to 0\(String(mode, radix: 8)): \(error)")
        }
    }

    /// The finding that the group is missing, whose members may use a system's service; nil if it was there at the start.
    var missingGroup: DoctorFinding? {
        guard access.group == nil, ProcessSelf.uid == 0, path.string == ServiceSocket.systemPath else { return nil }
        return DoctorFinding(
            kind: .configuration, subject: "/etc/group",
            message: "has no group \(Access.group), so only root may use the service",
            remedy:
                "make it with 'groupadd --system \(Access.group)' (BusyBox: 'addgroup -S \(Access.group)'), then restart the "
                + "service")
    }

    /// The group of the socket: only root may give it to one; a user's own service is for that user.
    private var sharedGroup: UInt32? {
        guard ProcessSelf.uid == 0, let group = access.group, UserDatabase.isMapped(group: group) else { return nil }
        return group
    }

    private var mode: UInt32 {
        if tokens.hasTokens, ProcessSelf.uid == 0 { return 0o666 }
        return sharedGroup != nil ? 0o660 : 0o600
    }

    /// Returns a message that names the users who may make a call that was refused.
    private static func refusal(
        of identity: ClientIdentity, _ method: String, _ operation: Access.Operation, _ access: Access
    ) -> String {
        let caller = "you are \(identity.name), uid \(identity.uid)"
        return operation == .execute && access.decide(identity, .read)
            ? "only root and the service's own user may call \(method) (\(caller))"
            : "only root, the service's own user and members of group \(Access.group) may call \(method) (\(caller))"
    }

    /// Returns the server's configuration: limits, access rules, and the log messages for connections that end.
    func configuration(stallTimeout: Duration) -> VarlinkServer.Configuration {
        var limits = VarlinkLimits.standard
        limits.stall = stallTimeout
        let clients = ClientLog(log)
        return VarlinkServer.Configuration(
            vendor: "Cleat", product: "cleatd", version: CleatVersion.text, url: "https://cleat.dev", limits: limits,
            tooManyConnections: { VarlinkError(APIError.tooManyConnections(limit: $0)) },
            standing: { [access] in access.standing($0) },
            isRemote: { CallerRoute.session(ofProcess: $0.pid) != nil },
            authenticators: [PeerAuthenticator(), tokens],
            access: { [access, pages] identity, interface, method in
                pages.touched()
                let operation = Access.operation(interface: interface, method: method)
                guard !access.decide(identity, operation) else { return nil }
                return VarlinkError(
                    APIError.permissionDenied(
                        message:
                            Self.refusal(of: identity, "\(interface).\(method)", operation, access)))
            },
            mapError: { error in
                if let error = error as? APIError { return VarlinkError(error) }
                return VarlinkError(APIError.storeFailed(code: "internal", message: "\(error)"))
            },
            ended: { [pages] peer, reason in
                pages.touched()
                switch reason {
                case .closed, .disconnected, .stopped: return
                case .malformed(let text): clients.warn(of: peer, "\(text); disconnected")
                case .stalled: clients.warn(of: peer, "it does not read its answers; disconnected")
                case .unfinished: clients.warn(of: peer, "it delays others with an incomplete message; disconnected")
                case .refused: clients.warn(of: peer, "too many connections; refused")
                case .replaced: clients.inform(of: peer, "disconnected for a new connection of the same user")
                case .silent: clients.inform(of: peer, "it made no call; disconnected")
                }
            })
    }
}

extension VarlinkError {
    /// Creates the error in its wire format.
    init(_ error: APIError) {
        self.init(error.name, error.parameters)
    }
}
