import CleatJSON
import CleatSettings

extension VolatileState {
    private struct File: Codable {
        struct Setting: Codable {
            var path: SettingPath
            var value: JSONValue
            var author: String
            var time: String
            var comment: String?
        }

        struct Difference: Codable {
            var path: SettingPath
            var old: JSONValue?
            var new: JSONValue?
        }

        struct Transaction: Codable {
            var id: String
            var hash: String
            var generation: Int64
            var changes: [Difference]
            var omitted: Int
        }

        var bootID: String
        var settings: [Setting]
        var transactions: [Transaction]
        var revertedTrial: String?

        private enum CodingKeys: String, CodingKey {
            case bootID = "boot_id"
            case settings
            case transactions
            case revertedTrial = "reverted_trial"
        }
    }

    /// Encodes the state for the file.
    func encoded(bootID: String) throws -> [UInt8] {
        let file = File(
            bootID: bootID,
            settings: settings.joined.map { row in
                let origin = origins[row.path]
                return File.Setting(
                    path: row.path, value: row.value, author: origin?.author ?? "", time: origin?.time ?? "",
                    comment: origin?.comment)
            },
            transactions: transactions.map { transaction in
                File.Transaction(
                    id: transaction.id, hash: transaction.hash, generation: transaction.generation,
                    changes: transaction.changes.map {
                        File.Difference(path: $0.path, old: $0.old, new: $0.new)
                    }, omitted: transaction.omitted)
            }, revertedTrial: revertedTrial)
        return Array(try JSONValue(encoding: file).canonicalText.utf8)
    }

    /// Decodes a file.
    ///
    /// - Returns: The state; nil if it is of another boot.
    /// - Throws: The reason why the bytes are not a valid file.
    static func decoded(_ bytes: [UInt8], bootID: String) throws -> VolatileState? {
        let limits = JSONLimits(size: VolatileFile.sizeLimit, values: 1 << 20)
        let file = try JSONReader.read(bytes, limits: limits).decode(File.self)
        guard file.bootID == bootID else { return nil }
        var state = VolatileState()
        state.settings = SettingsTree(file.settings.lazy.filter { !$0.value.isNull }.map { ($0.path, $0.value) })
        for setting in file.settings {
            state.origins[setting.path] = VolatileOrigin(
                author: setting.author, time: setting.time, comment: setting.comment)
        }
        state.transactions = file.transactions.suffix(transactionsLimit).map { transaction in
            VolatileTransaction(
                id: transaction.id, hash: transaction.hash, generation: transaction.generation,
                changes: transaction.changes.map { SettingDifference(path: $0.path, old: $0.old, new: $0.new) },
                omitted: transaction.omitted)
        }
        state.revertedTrial = file.revertedTrial
        return state
    }
}
