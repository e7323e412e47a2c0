import CleatTestSupport
import Testing

@testable import CleatIO

@Suite("waiting on a thread for a task", .timeLimit(.minutes(TestMachine.slowness))) struct BlockingOutcomeTests {
    private struct Failure: Error {}

    @Test("the result, the error and the end of the time are returned")
    func outcomes() throws {
        let value = try BlockingOutcome<Int>()
        #expect(try value.wait(within: .milliseconds(20)) == nil)
        Task.detached { value.set(.success(7)) }
        #expect(try value.wait(within: .seconds(60))?.get() == 7)
        #expect(try value.wait(within: .zero)?.get() == 7)
        let failed = try BlockingOutcome<Int>()
        failed.set(.failure(Failure()))
        #expect(throws: Failure.self) { try failed.wait(within: .seconds(60))?.get() }
    }
}
