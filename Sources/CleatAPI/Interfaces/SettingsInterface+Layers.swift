extension SettingsInterface {
    /// Returns the values of all layers at one path.
    package enum Why: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Why"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The path of a setting.
            package var path: String
            /// True if secrets are to be included; only root and the service's own user may request them.
            package var reveal: Bool?

            /// Creates the parameters.
            package init(path: String, reveal: Bool? = nil) {
                self.path = path
                self.reveal = reveal
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The last generation at the time of the reply.
            package var generation: Int64
            /// The value of the path, and its origin.
            package var setting: SettingInfo
            /// The layers that have a value, the highest first.
            package var layers: [LayerInfo]
            /// The lock that pins the path to a layer; nil if there is none.
            package var lock: LockInfo?
            /// The value after `unset`; nil if there is none.
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

    /// Resets settings to factory data and defaults, in one transaction.
    package enum Reset: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Reset"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The prefix; nil for the whole tree.
            package var prefix: String?
            /// The transaction's id, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The state that the reset expects; another state is a conflict.
            package var expect: GenerationRef?
            /// The author's comment.
            package var comment: String?
            /// The confirm window in milliseconds; nil if the change is not on trial.
            package var confirm: Int64?
            /// True if the reply has the plan of the reset, and nothing is written.
            package var plan: Bool?
            /// True if the reset is made and undone at once.
            package var rehearse: Bool?
            /// The probes that confirm the change once they hold.
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

        /// The reply to a call.
        package typealias Reply = SettingsInterface.Set.Reply
    }

    /// Returns the schema in force, as the text of one JSON Schema.
    package enum Schema: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Schema"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The offset in the text, in bytes; nil for its beginning.
            package var offset: Int?

            /// Creates the parameters.
            package init(offset: Int? = nil) {
                self.offset = offset
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// A piece of the text.
            package var text: String
            /// The offset of the next piece, in bytes; nil if this is the last one.
            package var next: Int?
            /// A hash of the whole text: pieces with different digests do not belong together.
            package var digest: String

            /// Creates the reply.
            package init(text: String, next: Int? = nil, digest: String) {
                self.text = text
                self.next = next
                self.digest = digest
            }
        }
    }

    /// Lists the problems of the board.
    package enum Doctor: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Doctor"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// Creates the parameters.
            package init() {}
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The findings: files first, then paths in the order of their bytes.
            package var findings: [DoctorFinding]
            /// The number of further findings, which do not fit into the message; nil if there are none.
            package var omitted: Int?

            /// Creates the reply.
            package init(findings: [DoctorFinding], omitted: Int? = nil) {
                self.findings = findings
                self.omitted = omitted
            }
        }
    }
}
