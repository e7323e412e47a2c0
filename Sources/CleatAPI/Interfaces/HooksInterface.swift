/// Hooks, which run a program on an event: `dev.cleat.Hooks`.
package enum HooksInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Hooks"

    /// Lists the hooks and the files that are not in force.
    package enum List: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Hooks.List"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {

            /// Creates the parameters.
            package init() {}
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The hooks, in order of their names.
            package var hooks: [HookInfo]
            /// What is wrong with which file.
            package var problems: [HookProblem]

            /// Creates the reply.
            package init(hooks: [HookInfo], problems: [HookProblem]) {
                self.hooks = hooks
                self.problems = problems
            }
        }
    }

    /// Runs a hook now on a made-up event.
    package enum Test: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Hooks.Test"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The hook.
            package var name: String
            /// The event's source.
            package var source: String?
            /// The event's action.
            package var action: String?
            /// The event's subject.
            package var subject: String?
            /// The event's properties; sorted by key on the wire.
            package var properties: [String: String]?

            /// Creates the parameters.
            package init(
                name: String, source: String? = nil, action: String? = nil, subject: String? = nil,
                properties: [String: String]? = nil
            ) {
                self.name = name
                self.source = source
                self.action = action
                self.subject = subject
                self.properties = properties
            }

            private enum CodingKeys: String, CodingKey {
                case name
                case source
                case action
                case subject
                case properties
            }

            package func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(name, forKey: .name)
                try container.encodeIfPresent(source, forKey: .source)
                try container.encodeIfPresent(action, forKey: .action)
                try container.encodeIfPresent(subject, forKey: .subject)
                if let properties { try container.encodeSorted(properties, forKey: .properties) }
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// Whether the hook would run on that event.
            package var matches: Bool
            /// What the run did.
            package var run: HookRun

            /// Creates the reply.
            package init(matches: Bool, run: HookRun) {
                self.matches = matches
                self.run = run
            }
        }
    }
}
