import Cleat
import CleatEmbedded
import CleatTestSupport
import Testing

@Suite struct ChangesTests {
    @Test(.timeLimit(.minutes(TestMachine.slowness))) func yieldsTheValueThenEachOther() async throws {
        let cleat = try await Cleat.inMemory(schemas: [lampSchema])
        var values = cleat.changes(of: .brightness).makeAsyncIterator()
        #expect(try await values.next() == 80)
        try await cleat.set(.brightness, to: 10)
        #expect(try await values.next() == 10)
        // Changes of other settings, and equal values, are not reported.
        try await cleat.set(.hostname, to: "other")
        try await cleat.edit { $0[.brightness] = 10 }
        try await cleat.unset(.brightness)
        #expect(try await values.next() == 80)
    }

    @Test(.timeLimit(.minutes(TestMachine.slowness))) func aSlowObserverGetsTheNewest() async throws {
        let cleat = try await Cleat.inMemory(schemas: [lampSchema])
        var values = cleat.changes(of: .volume).makeAsyncIterator()
        #expect(try await values.next() == 0.5)
        for value in 1...100 { try await cleat.set(.volume, to: Double(value)) }
        #expect(try await values.next() == 100)
    }

    @Test(.timeLimit(.minutes(TestMachine.slowness))) func followsGroupsAndOptionalKeys() async throws {
        let cleat = try await Cleat.inMemory(schemas: [lampSchema])
        var colours = cleat.changes(of: .colour).makeAsyncIterator()
        var labels = cleat.changes(of: .label).makeAsyncIterator()
        #expect(try await colours.next() == Colour())
        #expect(try await labels.next() == .some(nil))
        try await cleat.edit {
            $0[.colour].red = 7
            $0[.label] = "lamp"
        }
        #expect(try await colours.next() == Colour(red: 7))
        // The schema's default and the value set are the same: only whether it is set has changed.
        #expect(try await labels.next() == "lamp")
    }

    @Test(.timeLimit(.minutes(TestMachine.slowness))) func endsByCancellation() async throws {
        let cleat = try await Cleat.inMemory(schemas: [lampSchema])
        let (started, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            var count = 0
            for try await _ in cleat.changes(of: .brightness) {
                count += 1
                start.finish()
            }
            return count
        }
        for await _ in started {}
        task.cancel()
        #expect(try await task.value == 1)
    }

    @Test(.timeLimit(.minutes(TestMachine.slowness))) func anUnknownPathEndsWithAnError() async throws {
        let cleat = try await Cleat.inMemory()
        var values = cleat.changes(of: .brightness).makeAsyncIterator()
        let error = await #expect(throws: CleatError.self) { _ = try await values.next() }
        #expect(error?.code == .refused)
    }
}
