import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@Suite(.tags(.board)) struct ReadinessTests {
    private func pipe() throws -> (reading: Descriptor, writing: Descriptor) {
        let ends = try FileDescriptor.pipe()
        return (Descriptor(owning: ends.readEnd), Descriptor(owning: ends.writeEnd))
    }

    @Test func anEdgeBetweenReadAndWaitIsNotLost() async throws {
        try await withLoop { loop async throws in
            let (reading, writing) = try self.pipe()
            let readiness = try loop.register(reading.descriptor)
            for _ in 0..<100 {
                try writing.descriptor.writeAll([1])
                // The loop gets the edge while no task waits.
                await loop.yield()
                await loop.yield()
                try await readiness.readable()
                var byte = [UInt8](repeating: 0, count: 8)
                #expect(try unsafe byte.withUnsafeMutableBytes { try unsafe reading.descriptor.read(into: $0) } == 1)
            }
        }
    }

    @Test func oneWaiterADirection() async throws {
        try await withLoop { loop async throws in
            let (reading, _writing) = try self.pipe()
            defer { _writing.close() }
            let readiness = try loop.register(reading.descriptor)
            let first = loop.task { try await readiness.readable() }
            await loop.yield()
            await #expect(throws: Errno.resourceBusy) { try await readiness.readable() }
            first.cancel()
            let result = await first.result
            #expect(throws: CancellationError.self) { try result.get() }
            // The place is free again.
            try _writing.descriptor.writeAll([1])
            try await readiness.readable()
        }
    }

    @Test func closingEndsTheWait() async throws {
        try await withLoop { loop async throws in
            let (reading, _writing) = try self.pipe()
            defer { _writing.close() }
            let readiness = try loop.register(reading.descriptor)
            let waiter = loop.task { try await readiness.readable() }
            await loop.yield()
            readiness.close()
            readiness.close()
            let result = await waiter.result
            #expect(throws: CancellationError.self) { try result.get() }
            await #expect(throws: CancellationError.self) { try await readiness.readable() }
            #expect(loop.registeredDescriptors == 0)
        }
    }

    @Test func lettingGoDeregisters() async throws {
        try await withLoop { loop async throws in
            let (reading, _writing) = try self.pipe()
            defer { _writing.close() }
            do { _ = try loop.register(reading.descriptor) }
            #expect(loop.registeredDescriptors == 0)
        }
    }

    /// An event for a closed registration must not reach the one that took its slot.
    @Test func lateEventsAreDropped() async throws {
        try await withLoop { loop async throws in
            for _ in 0..<200 {
                let (oldReading, oldWriting) = try self.pipe()
                let old = try loop.register(oldReading.descriptor)
                let (newReading, _newWriting) = try self.pipe()
                defer { _newWriting.close() }
                try oldWriting.descriptor.writeAll([1])
                old.close()
                oldReading.close()
                let new = try loop.register(newReading.descriptor)
                let woken = loop.task { try await new.readable() }
                for _ in 0..<3 { await loop.yield() }
                woken.cancel()
                let result = await woken.result
                #expect(throws: CancellationError.self) { try result.get() }
            }
        }
    }

    @Test func hangUpsAreDistinguished() async throws {
        try await withLoop { loop async throws in
            let (left, right) = try ByteStream.pair(loop: loop)
            #expect(!left.peerEndedWriting)
            right.shutdownWrite()
            #expect(try await left.read().isEmpty)
            #expect(try await loop.eventually { left.peerEndedWriting })
            #expect(!left.hungUp)
            // The other direction still works.
            try await left.write([1, 2, 3])
            #expect(try await right.read() == [1, 2, 3])
            right.close()
            #expect(try await loop.eventually { left.hungUp })
            await #expect(throws: Errno.brokenPipe) { try await left.write([1]) }
        }
    }

    @Test func writingWaitsForSpace() async throws {
        try await withLoop { loop async throws in
            let (left, right) = try ByteStream.pair(loop: loop)
            var random = SeededGenerator(seed: 9)
            let payload = random.bytes(4 << 20)
            let writer = loop.task {
                try await left.write(payload)
                left.shutdownWrite()
            }
            var received: [UInt8] = []
            while true {
                let bytes = try await right.read(upTo: 100_000)
                if bytes.isEmpty { break }
                received += bytes
            }
            try await writer.value
            #expect(received == payload)
            // A full buffer, and a wait that is cancelled.
            while try right.writeSome(payload) > 0 {}
            let stuck = loop.task { try await right.write([1]) }
            await loop.yield()
            stuck.cancel()
            let result = await stuck.result
            #expect(throws: CancellationError.self) { try result.get() }
        }
    }

    @Test func pipesAndFilesAreStreamsToo() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("some text", to: "file")
        try await withLoop { loop async throws in
            let (reading, writing) = try self.pipe()
            let source = Descriptor(owning: try FileDescriptor.open(FilePath(file), .readOnly))
            let left = try ByteStream(loop: loop, reading: source, writing: writing)
            #expect(left.peer == nil)
            #expect(try await left.read() == Array("some text".utf8))
            #expect(try await left.read().isEmpty)
            let null = Descriptor(owning: try FileDescriptor.open(FilePath("/dev/null"), .writeOnly))
            let right = try ByteStream(loop: loop, reading: reading, writing: null)
            try await left.write([1, 2])
            #expect(try await right.read() == [1, 2])
            left.shutdownWrite()
            #expect(try await right.read().isEmpty)
        }
    }

    /// Tasks that never wait must not keep the loop from its descriptors and timers.
    @Test func busyTasksDoNotStarveIO() async throws {
        try await withLoop { loop async throws in
            let echo = Echo(loop: loop)
            let (left, right) = try ByteStream.pair(loop: loop)
            let server = loop.task { try await echo.serve(right) }
            let (flood, drain) = try ByteStream.pair(loop: loop)
            let floods = [
                loop.task { while !Task.isCancelled { try await flood.write([UInt8](repeating: 0, count: 100)) } },
                loop.task { while !Task.isCancelled { _ = try await drain.read(upTo: 100) } },
            ]
            for index in 0..<100 {
                try await left.write([UInt8(index)])
                #expect(try await left.read() == [UInt8(index)])
                try await loop.sleep(for: .milliseconds(0))
            }
            for flood in floods { flood.cancel() }
            server.cancel()
            flood.close()
            drain.close()
            for flood in floods { _ = await flood.result }
        }
    }
}
