extension SettingsInterface {
    /// Tells all layers of one path.
    package enum Why: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Why"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The path of a setting.
            package var path: String
            /// Whether secrets are told, too: only to root and the service's own user.
            package var reveal: Bool?

            /// Creates the parameters.
            package init(path: String, reveal: Bool? = nil) {
                self.path = path
                self.reveal = reveal
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The generation that answers.
            package var generation: Int64
            /// What the path holds.
            package var setting: SettingInfo
            /// The layers that have a value, the highest first.
            package var layers: [LayerInfo]
            /// What pins the path to a layer.
            package var lock: LockInfo?
            /// What would be in force after `unset`; nil where nothing is.
            package var unset: LayerInfo?

            /// Creates the reply.
            package init(
                store: String, generation: Int64, setting: SettingInfo, layers: [LayerInfo], lock: LockInfo? = nil,
                unset: LayerInfo? = nil
            ) {
                self.store = store
                self.generation = generation
                self.setting = setting
                self.layers = layers
                self.lock = lock
                self.unset = unset
            }
        }
    }

    /// Gives settings back to factory data and defaults, in one transaction.
    package enum Reset: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Reset"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The prefix; nil is the whole tree.
            package var prefix: String?
            /// The transaction's id, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The state that the reset was asked for.
            package var expect: GenerationRef?
            /// What the author says about it.
            package var comment: String?
            /// How long the change is on trial, in milliseconds; nil where it is no trial.
            package var confirm: Int64?
            /// Whether the answer says what the reset would do, and nothing is written.
            package var plan: Bool?
            /// Whether the reset is made and undone at once.
            package var rehearse: Bool?
            /// The probes that confirm it once they hold.
            package var until: [String]?

            /// Creates the parameters.
            package init(
                prefix: String? = nil, id: String? = nil, expect: GenerationRef? = nil, comment: String? = nil,
                confirm: Int64? = nil, plan: Bool? = nil, rehearse: Bool? = nil, until: [String]? = nil
            ) {
                self.prefix = prefix
                self.id = id
                self.expect = expect
                self.comment = comment
                self.confirm = confirm
                self.plan = plan
                self.rehearse = rehearse
                self.until = until
            }
        }

        /// Holds what a reply carries.
        package typealias Reply = SettingsInterface.Set.Reply
    }

    /// Tells the schema in force, as the text of one JSON Schema.
    package enum Schema: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Schema"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The byte of the text to begin at; nil is the first.
            package var offset: Int?

            /// Creates the parameters.
            package init(offset: Int? = nil) {
                self.offset = offset
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// A piece of the text.
            package var text: String
            /// The byte at which the next piece begins, if there is one.
            package var next: Int?
            /// A hash of the whole text: pieces of another one do not belong together.
            package var digest: String

            /// Creates the reply.
            package init(text: String, next: Int? = nil, digest: String) {
                self.text = text
                self.next = next
                self.digest = digest
            }
        }
    }

    /// Tells what is not as it should be.
    package enum Doctor: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Doctor"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// Creates the parameters.
            package init() {}
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// What is wrong, files first, then paths in the order of their bytes.
            package var findings: [DoctorFinding]
            /// How many more there are than a message has room for.
            package var omitted: Int?

            /// Creates the reply.
            package init(findings: [DoctorFinding], omitted: Int? = nil) {
                self.findings = findings
                self.omitted = omitted
            }
        }
    }
}
