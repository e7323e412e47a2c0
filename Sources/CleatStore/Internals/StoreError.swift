package import CleatSettings
package import SystemPackage

/// An error of the store: the failed operation, its object, the cause and the remedy.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error.
    package struct Code: Sendable, Equatable, CustomStringConvertible {
        enum Kind: String, Sendable {
            case inUse = "in_use"
            case diskFull = "disk_full"
            case readOnly = "read_only"
            case accessDenied = "access_denied"
            case tooManyFiles = "too_many_files"
            case inputOutput = "input_output"
            case outOfMemory = "out_of_memory"
            case corrupt
            case otherVersion = "other_version"
            case invalidDirectory = "invalid_directory"
            case notMounted = "not_mounted"
            case conflict
            case idReused = "id_reused"
            case unknownGeneration = "unknown_generation"
            case historyGone = "history_gone"
            case limit
            case closed
            case pending
            case noTrial = "no_trial"
            case otherTrial = "other_trial"
            case trialEnded = "trial_ended"
            case wrongPhase = "wrong_phase"
            case copyFailed = "copy_failed"
            case exists
            case unknownSnapshot = "unknown_snapshot"
            case invalidName = "invalid_name"
            case damaged
            case internalError = "internal"
        }

        let kind: Kind

        /// The code as one word.
        package var description: String { kind.rawValue }

        /// Another process, or another store of this process, has the store open.
        package static let inUse = Code(kind: .inUse)
        /// The file system of the store is full.
        package static let diskFull = Code(kind: .diskFull)
        /// The file system of the store, or one of its files, is read-only.
        package static let readOnly = Code(kind: .readOnly)
        /// The user may not open the store.
        package static let accessDenied = Code(kind: .accessDenied)
        /// The process, or the system, has too many files open.
        package static let tooManyFiles = Code(kind: .tooManyFiles)
        /// The system failed to read, write or flush.
        package static let inputOutput = Code(kind: .inputOutput)
        /// Memory is short.
        package static let outOfMemory = Code(kind: .outOfMemory)
        /// The store's file contradicts itself.
        package static let corrupt = Code(kind: .corrupt)
        /// The store was written by a release with another major version of the format.
        package static let otherVersion = Code(kind: .otherVersion)
        /// The store's path is not a directory, or one of the store's names is not a regular file.
        package static let invalidDirectory = Code(kind: .invalidDirectory)
        /// The file system of the store is not mounted.
        package static let notMounted = Code(kind: .notMounted)
        /// The settings have changed since the state that the change was made for.
        package static let conflict = Code(kind: .conflict)
        /// The id was used before, for other changes.
        package static let idReused = Code(kind: .idReused)
        /// There is no generation with that number.
        package static let unknownGeneration = Code(kind: .unknownGeneration)
        /// The history of that generation was pruned or lost.
        package static let historyGone = Code(kind: .historyGone)
        /// The change exceeds a limit of the store.
        package static let limit = Code(kind: .limit)
        /// The store was closed.
        package static let closed = Code(kind: .closed)
        /// Another change is on trial; the subject is its id, `generation` its generation.
        package static let pending = Code(kind: .pending)
        /// No change is on trial.
        package static let noTrial = Code(kind: .noTrial)
        /// The change on trial has another id.
        package static let otherTrial = Code(kind: .otherTrial)
        /// The trial of that id has ended with the other outcome.
        package static let trialEnded = Code(kind: .trialEnded)
        /// The trial is in a phase that does not allow the operation.
        package static let wrongPhase = Code(kind: .wrongPhase)
        /// The second copy could not be written; the store itself is intact.
        package static let copyFailed = Code(kind: .copyFailed)
        /// A snapshot with that name exists already.
        package static let exists = Code(kind: .exists)
        /// No snapshot has that name.
        package static let unknownSnapshot = Code(kind: .unknownSnapshot)
        /// The name is not valid for a snapshot.
        package static let invalidName = Code(kind: .invalidName)
        /// An object of a snapshot, or the content of a document, is damaged; the subject is its hash, or the object's
        /// name.
        package static let damaged = Code(kind: .damaged)
        /// The store has a defect.
        package static let internalError = Code(kind: .internalError)
    }

    /// The kind of the error.
    package let code: Code
    /// The file, directory or id that the error is about.
    package let subject: String
    /// The failure and the remedy, in one sentence.
    package let description: String
    /// The generation of a conflict, a reused id or a gap in the history.
    package let generation: GenerationRef?
    /// The SQLite error that caused it, if there is one.
    package let underlying: SQLiteError?

    /// True if the storage below the store is the cause: it fails, or cannot be written.
    ///
    /// A full file system does not count: the operator has to free space.
    package var isOfStorage: Bool { [.inputOutput, .readOnly, .corrupt].contains(code) }

    /// Returns the error of a store whose file system is not mounted.
    ///
    /// - Parameters:
    ///   - directory: The store's directory.
    ///   - obstacle: A clause that names what is not mounted.
    /// - Returns: The error, with the remedy.
    package static func notMounted(_ directory: FilePath, because obstacle: String) -> StoreError {
        StoreError(
            .notMounted, directory.string,
            "The store “\(directory)” is not there: \(obstacle). The service uses the store as soon as its file system is mounted."
        )
    }

    init(
        _ code: Code, _ subject: String, _ description: String, generation: GenerationRef? = nil,
        underlying: SQLiteError? = nil
    ) {
        self.code = code
        self.subject = subject
        self.description = description
        self.generation = generation
        self.underlying = underlying
    }
}
