package import CleatSettings

/// The repairs and other events of opening the store.
package struct StoreOpening: Sendable, Equatable {
    /// True if the store's file was created.
    package var isNew = false
    /// The files that were quarantined.
    package var quarantined: [QuarantinedFile] = []
    /// The generation of the second copy from which the settings were restored; nil if they were not.
    package var restored: GenerationRef?
    /// The number of remaining temporary files that were deleted.
    package var swept = 0

    /// A sentence that a change on trial was confirmed a second time, since the first confirmation was lost; nil if
    /// none was.
    package var confirmedAgain: String?

    /// The loss of acknowledged changes; nil if the store's files have them all.
    package var lost: Lost?

    /// The damage of a store whose log was lost or damaged, or whose settings are damaged, and its repair.
    package struct Lost: Sendable, Equatable {
        /// The last generation in the files.
        package var found: Int64
        /// True if the settings of that generation are damaged; false if the log is.
        package var isDamaged: Bool
        /// The last generation that was acknowledged, if it is known.
        package var newest: Int64?
        /// The generation of the second copy from which the settings were restored; nil if the copy was not better.
        package var copied: Int64?
        /// The generation with which the store continues; nil if it continues with the one found.
        package var successor: Int64?
        /// The name of a copy of the damaged log; nil if there is none.
        package var log: String?

        init(found: Int64, isDamaged: Bool) {
            self.found = found
            self.isDamaged = isDamaged
        }

        /// The comment for the history, in one sentence.
        var comment: String {
            var words =
                isDamaged
                ? "the stored settings of generation \(found) are damaged"
                : "the log of the store was lost or damaged after generation \(found)"
            if let copied { words += "; these are the settings of the second copy, generation \(copied)" }
            let kept = copied ?? found
            if let newest, newest > kept {
                words +=
                    newest == kept + 1
                    ? "; generation \(newest) is lost" : "; generations \(kept + 1) to \(newest) are lost"
            }
            return words
        }

        /// The message for the operator.
        var note: String {
            guard let successor else {
                if newest != nil {
                    return comment.prefix(1).uppercased() + comment.dropFirst()
                        + ". There is no space to record that in the history; free space, and compare the settings with what they "
                        + "should be."
                }
                return
                    "The log of the store is missing or empty: what was committed after generation \(found) may be lost. "
                    + "Compare the settings with what they should be."
            }
            var words = comment.prefix(1).uppercased() + comment.dropFirst() + "."
            words += " The store continues with generation \(successor)."
            if copied != newest { words += " Compare the settings with what they should be." }
            if let log { words += " The rest of the log was copied to “\(log)”." }
            return words
        }
    }

    /// The reason for the in-memory fallback; nil if the store's own files are open.
    package var fallback: Fallback?

    /// The reason why an in-memory fallback is served.
    package struct Fallback: Sendable, Equatable {
        /// The reason why the store's own files could not be opened: one sentence with the remedy.
        package var cause: String
        /// The files of the store that could not be read either, a sentence each.
        package var unread: [String]
        /// True if the file system of the store is not mounted; the service uses the store once it is.
        package var awaitsMount = false
        /// True if the file system of the store, or one of its files, is read-only; the service uses the store once the
        /// file system is writable.
        package var awaitsWriting = false

        /// Creates the reason.
        package init(cause: String, unread: [String], awaitsMount: Bool = false, awaitsWriting: Bool = false) {
            (self.cause, self.unread) = (cause, unread)
            (self.awaitsMount, self.awaitsWriting) = (awaitsMount, awaitsWriting)
        }

        /// The messages for the operator.
        fileprivate var notes: [String] {
            if awaitsMount {
                return [
                    cause,
                    "Until the store is mounted, the vendor's defaults are in force, the system stays as it is, and the service accepts no "
                        + "changes.",
                ]
            }
            return [cause] + unread + [
                "The service works with a copy of the settings in memory and accepts no changes; "
                    + (awaitsWriting
                        ? "it opens the store once its file system is mounted writable, or when it is started again."
                        : "repair the storage, then start it again.")
            ]
        }
    }

    /// Creates the report of an opening without events.
    package init() {}

    /// True if neither the settings nor their second copy could be read, so that there are none.
    package var isFailsafe: Bool { isNew && restored == nil && (!quarantined.isEmpty || fallback != nil) }

    /// The messages for the operator, a sentence each; empty if there was no problem.
    package var notes: [String] {
        var notes = fallback?.notes ?? []
        if fallback?.awaitsMount == true { return notes }
        notes += quarantined.map(\.description)
        if let lost { notes.append(lost.note) }
        if let confirmedAgain { notes.append(confirmedAgain) }
        if let restored {
            notes.append(
                "The settings were restored from the second copy, generation \(restored.generation) of store "
                    + "\(restored.store); what was committed after it is only in the "
                    + (fallback == nil ? "quarantined files." : "files that could not be opened."))
        } else if isFailsafe, fallback != nil {
            notes.append("Neither the settings nor a second copy could be read, so there are none.")
        } else if isFailsafe {
            notes.append(
                "There was no second copy to restore, so the store is empty; the former settings are only in the "
                    + "quarantined files.")
        }
        return notes
    }
}

/// A file that was quarantined, its new name, and the reason.
package struct QuarantinedFile: Sendable, Equatable, CustomStringConvertible {
    /// The name that the file had.
    package var file: String
    /// The name that the file has now, in the same directory.
    package var name: String
    /// The reason why it was not used.
    package var reason: String

    /// The event in one sentence.
    package var description: String { "“\(file)” was quarantined as “\(name)”, because \(reason)." }
}
