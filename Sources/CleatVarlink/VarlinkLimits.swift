/// What a Varlink server lets a client use.
package struct VarlinkLimits: Sendable, Hashable {
    /// The longest message in bytes, its final NUL not counted, in either direction.
    package var message: Int
    /// How many bytes of a message a connection takes in before it has to have room for a large one.
    package var small: Int
    /// How many messages above ``small`` are taken in and served at a time, over all connections; others wait unread.
    package var largeMessages: Int
    /// How many connections are served at a time; one more gets one error and is closed.
    package var connections: Int
    /// The connections that one user may have; privileged users (``VarlinkServer/Configuration/isPrivileged``) have no
    /// limit of their own.
    package var perUser: Int
    /// The connections of ``connections`` that are kept for privileged users.
    package var reserved: Int
    /// The time in which a client has to make its first call; a large message may take longer to arrive.
    package var firstCall: Duration
    /// How long a remote client (``VarlinkServer/Configuration/isRemote``) must have made no call before its connection is
    /// closed for another one of its user: the far end may be gone without a trace.
    package var quiet: Duration
    /// How many bytes may wait for a client that reads slower than it is sent to; a single message may be longer.
    package var outgoing: Int
    /// How long a client may take nothing at all while bytes wait for it, before its connection is closed; and how long
    /// it may take for a sixteenth of the longest message while others wait to send a large one.
    package var stall: Duration
    /// How deep the JSON of a message may be nested.
    package var depth: Int

    /// Makes limits.
    package init(
        message: Int = 1 << 20, small: Int = 32 << 10, largeMessages: Int = 4, connections: Int = 64,
        perUser: Int = 16, reserved: Int = 8, firstCall: Duration = .seconds(10), quiet: Duration = .seconds(60),
        outgoing: Int = 256 << 10, stall: Duration = .seconds(30), depth: Int = 64
    ) {
        self.message = message
        self.small = small
        self.largeMessages = largeMessages
        self.connections = connections
        self.perUser = perUser
        self.reserved = reserved
        self.firstCall = firstCall
        self.quiet = quiet
        self.outgoing = outgoing
        self.stall = stall
        self.depth = depth
    }

    /// The limits that a service has unless it is told otherwise.
    package static let standard = VarlinkLimits()
}
