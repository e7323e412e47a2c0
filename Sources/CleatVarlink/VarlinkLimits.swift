/// What a Varlink server lets a client use.
package struct VarlinkLimits: Sendable, Hashable {
    /// The longest message in bytes, its final NUL not counted, in either direction.
    package var message: Int
    /// How many connections are served at a time; one more gets one error and is closed.
    package var connections: Int
    /// How many bytes may wait for a client that reads slower than it is sent to; a single message may be longer.
    package var outgoing: Int
    /// How long a client may take nothing at all while bytes wait for it, before its connection is closed.
    package var stall: Duration
    /// How deep the JSON of a message may be nested.
    package var depth: Int

    /// Makes limits.
    package init(
        message: Int = 1 << 20, connections: Int = 64, outgoing: Int = 256 << 10, stall: Duration = .seconds(30),
        depth: Int = 64
    ) {
        self.message = message
        self.connections = connections
        self.outgoing = outgoing
        self.stall = stall
        self.depth = depth
    }

    /// The limits that a service has unless it is told otherwise.
    package static let standard = VarlinkLimits()
}
