import CleatIO
import CleatTestSupport
import Synchronization
import Testing

/// An actor that lives on a loop, as those of the service do.
actor Echo {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private(set) var served = 0

    init(loop: EventLoop) { self.loop = loop }

    func answer(_ bytes: [UInt8]) -> [UInt8] {
        served += 1
        return bytes
    }

    func serve(_ stream: ByteStream) async throws {
        while true {
            let bytes = try await stream.read()
            if bytes.isEmpty { return }
            try await stream.write(bytes)
        }
    }

    nonisolated func isAssumable() -> Bool { assumeIsolated { _ in true } }
}

@Suite(.tags(.board)) struct LoopTests {
    @Test func actorsAndTasksRunOnTheLoopThread() async throws {
        try await withLoop { loop in
            #expect(loop.isCurrent)
            let echo = Echo(loop: loop)
            #expect(await echo.answer([1, 2]) == [1, 2])
            #expect(loop.isCurrent)
            #expect(echo.isAssumable())
            let inner = loop.task { loop.isCurrent }
            #expect(await inner.value)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<10 { group.addTask { loop.isCurrent } }
                for try await on in group { #expect(on) }
            }
        }
    }

    @Test func socketRoundTrip() async throws {
        try await withLoop { loop in
            let (left, right) = try ByteStream.pair(loop: loop)
            let echo = Echo(loop: loop)
            let server = loop.task { try await echo.serve(right) }
            for index in 0..<1000 {
                let message = [UInt8(truncatingIfNeeded: index), 7]
                try await left.write(message)
                #expect(try await left.read() == message)
            }
            left.close()
            _ = try await server.value
        }
    }
}
