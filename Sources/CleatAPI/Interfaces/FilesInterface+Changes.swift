extension FilesInterface {
    /// The source and the target of a move or a copy.
    package struct Transfer: Codable, Hashable, Sendable {
        /// The area.
        package var area: String
        /// The path in the area.
        package var path: String
        /// The area of the target.
        package var toArea: String
        /// The path of the target.
        package var toPath: String
        /// True if an entry at the target is replaced.
        package var replace: Bool?

        /// Creates the parameters.
        package init(area: String, path: String, toArea: String, toPath: String, replace: Bool? = nil) {
            self.area = area
            self.path = path
            self.toArea = toArea
            self.toPath = toPath
            self.replace = replace
        }

        private enum CodingKeys: String, CodingKey {
            case area
            case path
            case toArea = "to_area"
            case toPath = "to_path"
            case replace
        }
    }

    /// The entry at a path after a change.
    package struct Result: Codable, Hashable, Sendable {
        /// The entry in its present state.
        package var entry: FileInfo

        /// Creates the result.
        package init(entry: FileInfo) {
            self.entry = entry
        }
    }

    /// Removes a file or a directory.
    package enum Remove: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Remove"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The path in the area.
            package var path: String
            /// True if a directory is removed with all entries below it.
            package var recursive: Bool?

            /// Creates the parameters.
            package init(area: String, path: String, recursive: Bool? = nil) {
                self.area = area
                self.path = path
                self.recursive = recursive
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {

            /// Creates the reply.
            package init() {}
        }
    }

    /// Moves a file or a directory.
    package enum Move: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Move"
        /// The source and the target of the move.
        package typealias Parameters = Transfer
        /// The entry at the target path.
        package typealias Reply = Result
    }

    /// Copies a file.
    package enum Copy: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Copy"
        /// The source and the target of the copy.
        package typealias Parameters = Transfer
        /// The entry at the target path.
        package typealias Reply = Result
    }

    /// Creates a directory.
    package enum MakeDirectory: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.MakeDirectory"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The path in the area.
            package var path: String
            /// True if missing parents are created, too, and a directory that exists already is not an error.
            package var parents: Bool?

            /// Creates the parameters.
            package init(area: String, path: String, parents: Bool? = nil) {
                self.area = area
                self.path = path
                self.parents = parents
            }
        }

        /// The entry at the target path.
        package typealias Reply = Result
    }
}
