extension FilesInterface {
    /// Names a file and where it shall stand.
    package struct Transfer: Codable, Hashable, Sendable {
        /// The area.
        package var area: String
        /// The path in it.
        package var path: String
        /// The area that it goes to.
        package var toArea: String
        /// The path that it gets.
        package var toPath: String
        /// Whether something that stands there is replaced.
        package var replace: Bool?

        /// Creates the names.
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

    /// Tells what stands at a path after a change.
    package struct Result: Codable, Hashable, Sendable {
        /// What stands there now.
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

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The path in it.
            package var path: String
            /// Whether a directory goes with all that stands below it.
            package var recursive: Bool?

            /// Creates the parameters.
            package init(area: String, path: String, recursive: Bool? = nil) {
                self.area = area
                self.path = path
                self.recursive = recursive
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {

            /// Creates the reply.
            package init() {}
        }
    }

    /// Moves a file or a directory.
    package enum Move: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Move"
        /// Names the file and where it shall stand.
        package typealias Parameters = Transfer
        /// Tells what stands there now.
        package typealias Reply = Result
    }

    /// Copies a file.
    package enum Copy: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Copy"
        /// Names the file and where the copy shall stand.
        package typealias Parameters = Transfer
        /// Tells what stands there now.
        package typealias Reply = Result
    }

    /// Makes a directory.
    package enum MakeDirectory: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.MakeDirectory"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The path in it.
            package var path: String
            /// Whether directories above are made, too, and one that is there already is no error.
            package var parents: Bool?

            /// Creates the parameters.
            package init(area: String, path: String, parents: Bool? = nil) {
                self.area = area
                self.path = path
                self.parents = parents
            }
        }

        /// Tells what stands there now.
        package typealias Reply = Result
    }
}
