import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct ValidationBudgetTests {
    @Test func theWorkEndsAtTheLimit() {
        var budget = ValidationBudget(ValidationLimits(steps: 10))
        let answers = [9, 1, 1].map { budget.spend($0) }
        #expect(answers == [true, true, false])
        #expect(budget.isExhausted && budget.remaining == 0)
        let isEntered = budget.enter()
        #expect(!isEntered)
    }

    @Test func theDepthIsBoundedAndGivenBack() {
        var budget = ValidationBudget(ValidationLimits(depth: 2))
        var answers = [budget.enter(), budget.enter()]
        budget.leave()
        answers += [budget.enter(), budget.isExhausted, budget.enter(), budget.isExhausted]
        #expect(answers == [true, true, true, false, false, true])
    }

    @Test func keywordsBeyondTheLimitAreCounted() {
        var log = BrokenKeywordLog(capacity: 2)
        for id in 0..<5 { log.add([.index(id)], id, "false", .never, .null, .none) }
        #expect(log.count == 5)
        #expect(log.keywords.map(\.node) == [0, 1])
    }
}
