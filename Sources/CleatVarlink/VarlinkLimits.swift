/// The limits of a Varlink server for its clients.
package struct VarlinkLimits: Sendable, Equatable {
    /// The maximum length of a message in bytes, without its final NUL, in either direction.
    package var message: Int
    /// The number of bytes of a message that a connection receives before it needs one of the ``largeMessages``; a
    /// stranger sends no longer ones.
    package var small: Int
    /// The number of messages above ``small`` that are received and served at a time, over all connections; others wait
    /// unread.
    package var largeMessages: Int
    /// The maximum number of connections at a time; another one gets an error and is closed.
    package var connections: Int
    /// The maximum number of connections of one user; privileged users (``VarlinkServer/Standing``) have no limit of their
    /// own.
    package var perUser: Int
    /// The maximum number of connections of strangers, who may only prove an identity; one user has half of them.
    package var strangers: Int
    /// The number of ``connections`` that are reserved for privileged users.
    package var reserved: Int
    /// The time in which a client has to make its first call, and a stranger to prove an identity; a large message may
    /// take longer to arrive.
    package var firstCall: Duration
    /// The time for which a remote client (``VarlinkServer/Configuration/isRemote``) must have made no call before its
    /// connection is closed for another one of its user: the remote end may be gone without a trace.
    package var quiet: Duration
    /// The number of bytes that may wait for a client that reads too slowly; a single message may be longer.
    package var outgoing: Int
    /// The time after which a connection is closed if its client reads nothing while bytes wait for it.
    ///
    /// It is also the time in which a client must send a sixteenth of the longest message while others wait to send a
    /// large one.
    package var stall: Duration
    /// The maximum depth of the JSON of a message.
    package var depth: Int

    /// Creates limits.
    package init(
        message: Int = 1 << 20, small: Int = 32 << 10, largeMessages: Int = 4, connections: Int = 64,
        perUser: Int = 16, strangers: Int = 16, reserved: Int = 8, firstCall: Duration = .seconds(10),
        quiet: Duration = .seconds(60), outgoing: Int = 256 << 10, stall: Duration = .seconds(30), depth: Int = 64
    ) {
        self.message = message
        self.small = small
        self.largeMessages = largeMessages
        self.connections = connections
        self.perUser = perUser
        self.strangers = strangers
        self.reserved = reserved
        self.firstCall = firstCall
        self.quiet = quiet
        self.outgoing = outgoing
        self.stall = stall
        self.depth = depth
    }

    /// The default limits of a service.
    package static let standard = VarlinkLimits()
}
