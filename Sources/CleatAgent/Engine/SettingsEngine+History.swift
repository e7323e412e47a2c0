import CleatAPI
import CleatJSON
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Reads one page of history, newest first.
    func log(before: Int64?, limit: Int) async throws -> SettingsInterface.Log.Reply {
        do {
            let records = try await store.generations(before: before, limit: limit)
            // A page of large generations is shorter than its limit: only the oldest one ends the history.
            let oldest = store.statistics?.oldestGeneration ?? 1
            let next = records.last.flatMap { $0.number > oldest ? $0.number : nil }
            return SettingsInterface.Log.Reply(
                store: reference.store, generations: records.map { Generation($0, in: settings) }, next: next)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Finds what differs between two generations.
    func diff(from: Int64?, to: Int64?) async throws -> SettingsInterface.Diff.Reply {
        let end = to ?? reference.generation
        let start = from ?? max(0, end - 1)
        for number in [start, end] where !(0...reference.generation).contains(number) {
            throw APIError.unknownGeneration(
                generation: number,
                message: "there is no generation \(number); the last one is \(reference.generation), see 'cleat log'")
        }
        do {
            let differences = try await store.differences(from: start, to: end)
            let (changes, omitted) = [ChangeRecord].records(of: differences, in: settings)
            return SettingsInterface.Diff.Reply(
                store: reference.store, from: start, to: end, changes: changes, omitted: omitted)
        } catch {
            if error.code == .historyGone {
                throw APIError.unknownGeneration(generation: min(start, end), message: error.description)
            }
            throw Self.failure(error)
        }
    }
}
