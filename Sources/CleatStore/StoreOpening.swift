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

    /// Whether neither the settings nor their second copy could be read, so that there are none.
    package var isFailsafe: Bool { isNew && restored == nil && !setAside.isEmpty }

    /// What an operator should know, a sentence each; empty when all was well.
    package var notes: [String] {
        var notes = setAside.map(\.description)
        if let restored {
            notes.append(
                "The settings were restored from the second copy, generation \(restored.generation) of store "
                    + "\(restored.store); what was committed after it is only in the files set aside.")
        } else if isFailsafe {
            notes.append(
                "There was no second copy to restore, so the store is empty; the former settings are only in the files "
                    + "set aside.")
        }
        return notes
    }
}
