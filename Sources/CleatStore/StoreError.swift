package import CleatAPI

/// Says what the store could not do, on what, why, and what to do next.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    /// Names the kind of an error.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
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

        /// Another process, or another store of this one, has the store open.
        package static let inUse = Code(kind: .inUse)
        /// The file system of the store is full.
        package static let diskFull = Code(kind: .diskFull)
        /// The file system of the store, or a file of it, can only be read.
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
        /// The store's place is no directory, or something that is no file stands where the store should.
        package static let invalidDirectory = Code(kind: .invalidDirectory)
        /// The settings have changed since the state that the change was made for.
        package static let conflict = Code(kind: .conflict)
        /// The id was used before, for other changes.
        package static let idReused = Code(kind: .idReused)
        /// There is no generation with that number.
        package static let unknownGeneration = Code(kind: .unknownGeneration)
        /// The history of that generation is kept no more.
        package static let historyGone = Code(kind: .historyGone)
        /// The change is larger than what the store takes.
        package static let limit = Code(kind: .limit)
        /// The store was closed.
        package static let closed = Code(kind: .closed)
        /// Another change is on trial; the subject is its id, the generation is its own.
        package static let pending = Code(kind: .pending)
        /// No change is on trial.
        package static let noTrial = Code(kind: .noTrial)
        /// The change on trial has another id.
        package static let otherTrial = Code(kind: .otherTrial)
        /// The trial of that id has ended, the other way.
        package static let trialEnded = Code(kind: .trialEnded)
        /// The trial is in a phase in which that cannot be done.
        package static let wrongPhase = Code(kind: .wrongPhase)
        /// The second copy could not be written; the store itself is well.
        package static let copyFailed = Code(kind: .copyFailed)
        /// There is a snapshot of that name already.
        package static let exists = Code(kind: .exists)
        /// There is no snapshot of that name.
        package static let unknownSnapshot = Code(kind: .unknownSnapshot)
        /// That cannot be the name of a snapshot.
        package static let invalidName = Code(kind: .invalidName)
        /// An object of a snapshot is damaged; the subject is its hash.
        package static let damaged = Code(kind: .damaged)
        /// The store has a defect.
        package static let internalError = Code(kind: .internalError)
    }

    /// The kind of the error.
    package let code: Code
    /// The file, directory or id that the error is about.
    package let subject: String
    /// What happened and what to do next, in one sentence.
    package let description: String
    /// The generation that a conflict, a reused id or a hole in the history is about.
    package let generation: GenerationRef?
    /// SQLite's error behind it, where there is one.
    package let underlying: SQLiteError?

    /// Whether the storage below the store is the cause: it fails, or cannot be written.
    ///
    /// A full one is for somebody to make room on.
    package var isOfStorage: Bool { [.inputOutput, .readOnly, .corrupt].contains(code) }

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
