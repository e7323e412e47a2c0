import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

@Suite struct TrialPropertyTests {
    @Test(arguments: TestMachine.seeds(5, briefly: 2))
    func theStoreDoesWhatThePlainModelDoes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        var model = TrialModel()
        var store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        var ended: [String: Int] = [:]
        for count in 0..<150 {
            let step = TrialModel.Step.random(model, count, using: &random)
            let place: Comment = "seed \(seed), step \(count): \(step)"
            let former = model
            let expected = model.apply(step)
            do {
                try step.apply(to: store)
                #expect(expected == nil, place)
            } catch let error as StoreError {
                #expect(error.code == expected, place)
            }
            if let trial = former.pending, model.pending == nil {
                ended[model.records[trial.number - 1].word, default: 0] += 1
            }
            try check(store, model, place)
            try store.close(stamp: Bool.random(using: &random) ? stamp : nil)
            store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
            #expect(store.opening == StoreOpening(), place)
            try check(store, model, place)
            try checkDifferences(store, model, place, using: &random)
        }
        #expect(ended["confirmed", default: 0] > 2 && ended["reverted", default: 0] > 2, "\(ended)")
    }

    private func check(_ store: StoreFile, _ model: TrialModel, _ place: Comment) throws {
        #expect(store.generation.generation == Int64(model.confirmed), place)
        #expect(try store.values == model.states[model.confirmed], place)
        #expect(try store.statistics().settings == model.states[model.confirmed].count, place)
        #expect(try store.statistics().generations == model.records.count, place)
        let trial = try store.trials.current()
        let seen = trial.map {
            TrialModel.Pending(
                number: Int($0.generation.generation), id: $0.id, phase: $0.phase, deadline: $0.deadline,
                failures: $0.failures, mementos: $0.mementos)
        }
        #expect(seen == model.pending, place)
        if let trial {
            var state = model.states[model.confirmed]
            for change in trial.changes {
                #expect(state[change.path.text] == change.old, place)
                state[change.path.text] = change.new
            }
            #expect(state == model.states.last, place)
        }
        let origins = try store.resources.origins()
        #expect(origins.map(\.resource) == model.origins.keys.sorted(), place)
        for origin in origins {
            #expect(origin.generation == Int64(model.origins[origin.resource]?.generation ?? -1), place)
            #expect(
                try store.resources.origin(of: origin.resource)?.state == model.origins[origin.resource]?.state, place)
        }
        let page = try store.history.generations(before: nil, limit: StoreLimits.page)
        #expect(page.reversed().map(\.state) == model.records, place)
        #expect(page.reversed().map(\.id) == model.ids, place)
    }

    private func checkDifferences(
        _ store: StoreFile, _ model: TrialModel, _ place: Comment, using random: inout SeededGenerator
    ) throws {
        for _ in 0..<4 {
            let from = Int.random(in: 0..<model.states.count, using: &random)
            let to = Bool.random(using: &random) ? model.states.count - 1 : from
            var state = model.states[from]
            for difference in try store.history.differences(from: Int64(from), to: Int64(to)) {
                #expect(state[difference.path.text] == difference.old, place)
                #expect(difference.old != difference.new, place)
                state[difference.path.text] = difference.new
            }
            #expect(state == model.states[to], place)
        }
    }
}
