import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

extension ChildCommand.User {
    /// A user in group `cleat`, as `Board.makeGroup` makes it.
    static let member = ChildCommand.User(uid: 65_534, gid: 65_534, groups: [61_234])
    /// The same user without the group.
    static let stranger = ChildCommand.User(uid: 65_534, gid: 65_534)
}

/// Other users than root, who come to the socket with a copy of the relay.
extension Board {
    /// Sends one call and prints the answer, as a user who may not reach the build directory: by a copy of the relay.
    static let client = #"printf '%s\0' "$2" | "$D/relay" connect --socket "$1" 2>&1"#

    /// Puts the relay where everyone can run it, and lets everyone come to the socket's own mode.
    func admitStrangers() async throws {
        let copy = try await script(#"cp "$CLEATD" "$D/relay" && chmod 755 "$D/relay""#)
        try #require(copy.status == 0, "\(copy.errorText)")
        try SystemCalls.changeMode(directory.text, 0o711)
    }

    /// Calls a method as another user and gives the reply, or the error.
    func call(_ method: String, _ parameters: String, as user: ChildCommand.User) async throws -> JSONObject {
        let result = try await script(
            Self.client, [socket, #"{"method":"\#(method)","parameters":\#(parameters)}"#], user: user)
        try #require(result.status == 0 && result.output.hasSuffix("\0"), "\(result.output)")
        return try #require(JSONReader.read(String(result.output.dropLast())).objectValue)
    }

    /// Has group `cleat` exist in the mounts of one service only, in place of one that the machine may have.
    func makeGroup() async throws -> PrivateNamespace {
        try await makeNamespace(
            """
            { grep -v '^cleat:' /etc/group; echo cleat:x:61234:; } >$D/group
            mount --bind $D/group /etc/group
            """)
    }
}
