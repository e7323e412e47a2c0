/// The quarantine for files that cannot be used: they are renamed to a name with the present time, never deleted.
struct Quarantine {
    let directory: StoreDirectory

    /// Quarantines the main file and its logs.
    ///
    /// The main file is renamed first: the next start quarantines a log without a main file, but a damaged main file
    /// without its log might seem intact.
    func moveStore(reason: String) throws(StoreError) -> [QuarantinedFile] {
        try move([StoreFormat.mainName] + StoreFormat.besides, reason: reason)
    }

    /// Quarantines logs without a main file.
    func moveOrphans() throws(StoreError) -> [QuarantinedFile] {
        var orphans: [String] = []
        for name in StoreFormat.besides {
            if let size = try directory.size(of: name), size > 0 { orphans.append(name) }
        }
        return try move(orphans, reason: "the main file that it belongs to is missing")
    }

    /// Quarantines files under one new name with their own endings; the first one must exist.
    func move(_ names: [String], reason: String) throws(StoreError) -> [QuarantinedFile] {
        guard let first = names.first else { return [] }
        let stamp = StoreDirectory.stamp
        for counter in 1...1000 {
            let base = "quarantined-\(stamp)" + (counter == 1 ? "" : "-\(counter)")
            let places = names.map { base + $0.dropFirst($0.hasPrefix("settings") ? "settings".utf8.count : 0) }
            guard try isFree(places), let place = places.first, try directory.rename(first, to: place) else { continue }
            var moved = [QuarantinedFile(file: first, name: place, reason: reason)]
            for (name, place) in zip(names, places).dropFirst() where try directory.size(of: name) != nil {
                if try directory.rename(name, to: place) {
                    moved.append(QuarantinedFile(file: name, name: place, reason: "it belongs to “\(first)”"))
                }
            }
            try directory.flush()
            return moved
        }
        throw StoreError(
            .internalError, directory.path,
            "“\(first)” in “\(directory.path)” could not be quarantined, because every name for it is taken; move the old "
                + "files away.")
    }

    private func isFree(_ names: [String]) throws(StoreError) -> Bool {
        for name in names where try directory.size(of: name) != nil { return false }
        return true
    }
}
