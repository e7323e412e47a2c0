/// Hooks, which run a program on an event: `dev.cleat.Hooks`.
package enum HooksInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Hooks"

    /// Lists the hooks and the files that are not in force.
    package enum List: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Hooks.List"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {

            /// Creates the parameters.
            package init() {}
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The hooks, in order of their names.
            package var hooks: [HookInfo]
            /// The problems of the files that are not in force.
            package var problems: [HookProblem]

            /// Creates the reply.
            package init(hooks: [HookInfo], problems: [HookProblem]) {
                self.hooks = hooks
                self.problems = problems
            }
        }
    }

    /// Matches a hook against a test event, and returns the command that would run.
    package enum Test: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Hooks.Test"

        /// The parameters of a call.
        package typealias Parameters = MadeUpEvent

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// True if the hook would run on that event.
            package var matches: Bool
            /// The event: `link up eth0`.
            package var event: String
            /// The patterns of the hook.
            package var clauses: [HookClause]
            /// The program and its arguments.
            package var command: [String]
            /// The environment of the program; sorted by key on the wire.
            package var environment: [String: String]
            /// The reason why the program cannot run; nil if it can.
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

    /// Runs a hook now on a test event.
    package enum Run: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Hooks.Run"

        /// The parameters of a call.
        package typealias Parameters = MadeUpEvent

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// True if the hook matches that event.
            package var matches: Bool
            /// The event: `link up eth0`.
            package var event: String
            /// The patterns of the hook.
            package var clauses: [HookClause]
            /// The run; nil if the hook was not run.
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

    /// The parameters of a call that tests or runs a hook on a test event.
    package struct MadeUpEvent: Codable, Hashable, Sendable {
        /// The name of the hook.
        package var name: String
        /// The event's source; nil for that of the hook's match if it is a plain word, else `agent`.
        package var source: String?
        /// The event's action; nil for that of the hook's match if it is a plain word, else `test`.
        package var action: String?
        /// The event's subject; nil for that of the hook's match if it is a plain word, else `test`.
        package var subject: String?
        /// The event's properties, added to the plain ones of the hook's match; sorted by key on the wire.
        package var properties: [String: String]?
        /// True if the hook is run even if it does not match; only for ``Run``.
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
