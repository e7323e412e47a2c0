/// Events, devices and links of one board: `dev.cleat.Events`.
package enum EventsInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Events"

    /// Sends events as they happen; only with `more`.
    package enum Subscribe: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Events.Subscribe"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The sources; nil for all.
            package var sources: [String]?
            /// A glob on the action.
            package var action: String?
            /// A glob on the subject.
            package var subject: String?
            /// The instance that `after` belongs to.
            package var instance: String?
            /// The sequence number to continue after.
            package var after: Int64?

            /// Creates the parameters.
            package init(
                sources: [String]? = nil, action: String? = nil, subject: String? = nil, instance: String? = nil,
                after: Int64? = nil
            ) {
                self.sources = sources
                self.action = action
                self.subject = subject
                self.instance = instance
                self.after = after
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The running instance of the service.
            package var instance: String
            /// The event; nil in the first reply, and in one that reports lost events.
            package var event: Event?
            /// The number of events that were dropped because the client read too slowly.
            package var lost: Int64?

            /// Creates the reply.
            package init(instance: String, event: Event? = nil, lost: Int64? = nil) {
                self.instance = instance
                self.event = event
                self.lost = lost
            }
        }
    }

    /// Lists devices.
    package enum Devices: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Events.Devices"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The subsystem; nil for all.
            package var subsystem: String?
            /// The devpath to continue after.
            package var after: String?

            /// Creates the parameters.
            package init(subsystem: String? = nil, after: String? = nil) {
                self.subsystem = subsystem
                self.after = after
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The devices, in order of their devpaths' bytes.
            package var devices: [Device]
            /// The `after` of the next page; nil if this is the last one.
            package var next: String?

            /// Creates the reply.
            package init(devices: [Device], next: String? = nil) {
                self.devices = devices
                self.next = next
            }
        }
    }

    /// Lists network links.
    package enum Links: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Events.Links"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {

            /// Creates the parameters.
            package init() {}
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The links, in order of their names' bytes.
            package var links: [Link]

            /// Creates the reply.
            package init(links: [Link]) {
                self.links = links
            }
        }
    }
}
