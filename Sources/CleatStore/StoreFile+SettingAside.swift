extension StoreFile {
    /// Quarantines the main file and its logs: renames them to a name with the present time.
    ///
    /// The main file is renamed first: the next start quarantines a log without a main file, but a damaged main file
    /// without its log might seem intact.
    func setAside(reason: String) throws(StoreError) {
        try setAside([StoreFormat.mainName] + StoreFormat.besides, reason: reason)
    }

    /// Quarantines logs without a main file.
    func setAsideOrphans() throws(StoreError) {
        var orphans: [String] = []
        for name in StoreFormat.besides {
            if let size = try directory.size(of: name), size > 0 { orphans.append(name) }
        }
        try setAside(orphans, reason: "the main file that it belongs to is missing")
    }

    /// Reads the second copy; one that cannot be read is quarantined.
    func readCopy() throws(StoreError) -> SecondCopy? {
        let name = StoreFormat.copyName
        guard
            let file = try directory.head(of: name, count: Int(clamping: SecondCopy.largest), writing: false)
        else { return nil }
        let (copy, reason) = SecondCopy.read(file.bytes)
        if let copy { return copy }
        try setAside([name], reason: reason)
        return nil
    }

    private func setAside(_ names: [String], reason: String) throws(StoreError) {
        guard let first = names.first else { return }
        let stamp = StoreDirectory.stamp
        for counter in 1...1000 {
            let base = "set-aside-\(stamp)" + (counter == 1 ? "" : "-\(counter)")
            let places = names.map { base + $0.dropFirst($0.hasPrefix("settings") ? "settings".utf8.count : 0) }
            guard try isFree(places), let place = places.first, try directory.rename(first, to: place) else { continue }
            opening.setAside.append(SetAside(file: first, name: place, reason: reason))
            for (name, place) in zip(names, places).dropFirst() where try directory.size(of: name) != nil {
                if try directory.rename(name, to: place) {
                    opening.setAside.append(SetAside(file: name, name: place, reason: "it belongs to “\(first)”"))
                }
            }
            try directory.flush()
            return
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
