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

    /// Says whether a hook would run on a made-up event, and what would run.
    package enum Test: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Hooks.Test"

        /// Holds what a call carries.
        package typealias Parameters = MadeUpEvent

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// Whether the hook would run on that event.
            package var matches: Bool
            /// The event: `link up eth0`.
            package var event: String
            /// The patterns of the hook.
            package var clauses: [HookClause]
            /// The program and its arguments.
            package var command: [String]
            /// The environment of the program; sorted by key on the wire.
            package var environment: [String: String]
            /// What keeps the program from running.
            package var refused: String?

            /// Creates the reply.
            package init(
                matches: Bool, event: String, clauses: [HookClause], command: [String],
                environment: [String: String], refused: String? = nil
            ) {
                self.matches = matches
                self.event = event
                self.clauses = clauses
                self.command = command
                self.environment = environment
                self.refused = refused
            }

            private enum CodingKeys: String, CodingKey {
                case matches
                case event
                case clauses
                case command
                case environment
                case refused
            }

            package func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(matches, forKey: .matches)
                try container.encode(event, forKey: .event)
                try container.encode(clauses, forKey: .clauses)
                try container.encode(command, forKey: .command)
                try container.encodeSorted(environment, forKey: .environment)
                try container.encodeIfPresent(refused, forKey: .refused)
            }
        }
    }

    /// Runs a hook now on a made-up event.
    package enum Run: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Hooks.Run"

        /// Holds what a call carries.
        package typealias Parameters = MadeUpEvent

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// Whether the hook would run on that event by itself.
            package var matches: Bool
            /// The event: `link up eth0`.
            package var event: String
            /// The patterns of the hook.
            package var clauses: [HookClause]
            /// What the run did; nil where the hook was not run.
            package var run: HookRun?

            /// Creates the reply.
            package init(matches: Bool, event: String, clauses: [HookClause], run: HookRun? = nil) {
                self.matches = matches
                self.event = event
                self.clauses = clauses
                self.run = run
            }
        }
    }

    /// Holds what a call carries that tries a hook on a made-up event.
    package struct MadeUpEvent: Codable, Hashable, Sendable {
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
        /// Whether the hook is run also where it does not match; only for ``Run``.
        package var force: Bool?

        /// Creates the parameters.
        package init(
            name: String, source: String? = nil, action: String? = nil, subject: String? = nil,
            properties: [String: String]? = nil, force: Bool? = nil
        ) {
            self.name = name
            self.source = source
            self.action = action
            self.subject = subject
            self.properties = properties
            self.force = force
        }

        private enum CodingKeys: String, CodingKey {
            case name
            case source
            case action
            case subject
            case properties
            case force
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encodeIfPresent(source, forKey: .source)
            try container.encodeIfPresent(action, forKey: .action)
            try container.encodeIfPresent(subject, forKey: .subject)
            if let properties { try container.encodeSorted(properties, forKey: .properties) }
            try container.encodeIfPresent(force, forKey: .force)
        }
    }
}
