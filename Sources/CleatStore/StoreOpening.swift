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
