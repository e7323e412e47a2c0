package import CleatSettings
package import SystemPackage

/// An error of the store: the failed operation, its object, the cause and the remedy.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// Another process, or another store of this process, has the store open.
        case inUse = "in_use"
        /// The file system of the store is full.
        case diskFull = "disk_full"
        /// The file system of the store, or one of its files, is read-only.
        case readOnly = "read_only"
        /// The user may not open the store.
        case accessDenied = "access_denied"
        /// The process, or the system, has too many files open.
        case tooManyFiles = "too_many_files"
        /// The system failed to read, write or flush.
        case inputOutput = "input_output"
        /// Memory is short.
        case outOfMemory = "out_of_memory"
        /// The store's file contradicts itself.
        case corrupt
        /// The store was written by a release with another major version of the format.
        case otherVersion = "other_version"
        /// The store's path is not a directory, or one of the store's names is not a regular file.
        case invalidDirectory = "invalid_directory"
        /// The file system of the store is not mounted.
        case notMounted = "not_mounted"
        /// The settings have changed since the state that the change was made for.
        case conflict
        /// The id was used before, for other changes.
        case idReused = "id_reused"
        /// There is no generation with that number.
        case unknownGeneration = "unknown_generation"
        /// The history of that generation was pruned or lost.
        case historyGone = "history_gone"
        /// The change exceeds a limit of the store.
        case limit
        /// The store was closed.
        case closed
        /// Another change is on trial; the subject is its id, `generation` its generation.
        case pending
        /// No change is on trial.
        case noTrial = "no_trial"
        /// The change on trial has another id.
        case otherTrial = "other_trial"
        /// The trial of that id has ended with the other outcome.
        case trialEnded = "trial_ended"
        /// The trial is in a phase that does not allow the operation.
        case wrongPhase = "wrong_phase"
        /// The second copy could not be written; the store itself is intact.
        case copyFailed = "copy_failed"
        /// A snapshot with that name exists already.
        case exists
        /// No snapshot has that name.
        case unknownSnapshot = "unknown_snapshot"
        /// The name is not valid for a snapshot.
        case invalidName = "invalid_name"
        /// An object of a snapshot, or the content of a document, is damaged; the subject is its hash, or the object's
        /// name.
        case damaged
        /// The store has a defect.
        case internalError = "internal"

        /// The code as one word.
        package var description: String { rawValue }
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
