package import CleatAPI

/// Says what happened when the store was opened.
package struct StoreOpening: Sendable, Hashable {
    /// Whether the store's file was made.
    package var isNew = false
    /// What was set aside.
    package var setAside: [SetAside] = []
    /// The generation of the second copy that the settings were taken from; nil where they were not.
    package var restored: GenerationRef?
    /// How many left-over temporary files were swept away.
    package var swept = 0

    /// Says that a change on trial was confirmed a second time, since the first confirmation was lost; nil where none was.
    package var confirmedAgain: String?

    /// Set where changes that were acknowledged are not in the store's files.
    package var lost: Lost?

    /// Says what is missing of a store whose log was lost or damaged, or whose settings are damaged, and what was done.
    package struct Lost: Sendable, Hashable {
        /// The generation that the files end with.
        package var found: Int64
        /// Whether the settings of that generation are damaged; else the log is.
        package var isDamaged: Bool
        /// The last generation that was acknowledged, as far as that is known.
        package var newest: Int64?
        /// The generation of the second copy that the settings were taken from; nil where it knows no better.
        package var copied: Int64?
        /// The generation with which the store goes on; nil where it goes on with the one found.
        package var successor: Int64?
        /// The name that a copy of the damaged log has.
        package var log: String?

        init(found: Int64, isDamaged: Bool) {
            self.found = found
            self.isDamaged = isDamaged
        }

        /// What the history says, in one sentence.
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

        /// What an operator should know.
        var note: String {
            guard let successor else {
                if newest != nil {
                    return comment.prefix(1).uppercased() + comment.dropFirst()
                        + ". There is no room to note that in the history; free space, and compare the settings with what they "
                        + "should be."
                }
                return
                    "The log of the store is missing or empty: what was committed after generation \(found) may be lost. "
                    + "Compare the settings with what they should be."
            }
            var words = comment.prefix(1).uppercased() + comment.dropFirst() + "."
            words += " The store goes on with generation \(successor)."
            if copied != newest { words += " Compare the settings with what they should be." }
            if let log { words += " What is left of the log was copied to “\(log)”." }
            return words
        }
    }

    /// Set where the store's own files could not be opened, and a copy in memory stands in for them.
    package var standIn: StandIn?

    /// Says why a copy in memory is what is served.
    package struct StandIn: Sendable, Hashable {
        /// Why the store's own files could not be opened: one sentence, with what to do.
        package var cause: String
        /// What of them could not be read either, a sentence each.
        package var unread: [String]
    }

    /// Whether neither the settings nor their second copy could be read, so that there are none.
    package var isFailsafe: Bool { isNew && restored == nil && (!setAside.isEmpty || standIn != nil) }

    /// What an operator should know, a sentence each; empty when all was well.
    package var notes: [String] {
        var notes =
            standIn.map { standIn in
                [standIn.cause] + standIn.unread + [
                    "The service works with a copy of the settings in memory and takes no changes; mend the storage, then "
                        + "start it again."
                ]
            } ?? []
        notes += setAside.map(\.description)
        if let lost { notes.append(lost.note) }
        if let confirmedAgain { notes.append(confirmedAgain) }
        if let restored {
            notes.append(
                "The settings were restored from the second copy, generation \(restored.generation) of store "
                    + "\(restored.store); what was committed after it is only in the "
                    + (standIn == nil ? "files set aside." : "files that could not be opened."))
        } else if isFailsafe, standIn != nil {
            notes.append("Neither the settings nor a second copy could be read, so there are none.")
        } else if isFailsafe {
            notes.append(
                "There was no second copy to restore, so the store is empty; the former settings are only in the files "
                    + "set aside.")
        }
        return notes
    }
}
