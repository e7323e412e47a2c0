import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

/// Records what reaches the files, so that the device can be shown as a power cut would leave it.
final class Recorder {
    enum Step {
        case write(file: String, offset: Int, bytes: [UInt8])
        case truncate(file: String, size: Int)
        case sync(file: String)
        /// A commit was acknowledged.
        case acknowledged(Int64)
    }

    var steps: [Step] = []

    var hook: StorageHook {
        { operation in
            let file = String(operation.name.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? "")
            switch operation.kind {
            case .write:
                self.steps.append(.write(file: file, offset: Int(operation.offset), bytes: operation.bytes))
            case .truncate: self.steps.append(.truncate(file: file, size: Int(operation.offset)))
            case .sync: self.steps.append(.sync(file: file))
            case .open, .read, .delete: break
            }
            return .proceed
        }
    }

    /// The files after a cut: all that was flushed, and of the rest whatever the device happened to write, by sectors
    /// and in any order.
    func files(
        _ start: [String: [UInt8]], cut: Int, using random: inout SeededGenerator
    ) -> [String: [UInt8]] {
        var flushed: [String: Int] = [:]
        for (index, step) in steps[..<cut].enumerated() {
            if case .sync(let file) = step { flushed[file] = index }
        }
        var files = start
        var loose: [(file: String, offset: Int, bytes: [UInt8])] = []
        for (index, step) in steps[..<cut].enumerated() {
            switch step {
            case .write(let file, let offset, let bytes):
                if index < flushed[file] ?? -1 {
                    Self.write(bytes, at: offset, into: &files[file, default: []])
                } else {
                    var position = 0
                    while position < bytes.count {
                        // Sectors end where the device's do, not where the write does.
                        let end = min(bytes.count, position + 512 - (offset + position) % 512)
                        loose.append((file, offset + position, Array(bytes[position..<end])))
                        position = end
                    }
                }
            case .truncate(let file, let size):
                if let count = files[file]?.count, count > size { files[file]?.removeLast(count - size) }
            case .sync, .acknowledged: break
            }
        }
        loose.shuffle(using: &random)
        let share = Int.random(in: 0...4, using: &random)
        for sector in loose where Int.random(in: 0..<4, using: &random) < share {
            Self.write(sector.bytes, at: sector.offset, into: &files[sector.file, default: []])
        }
        return files
    }

    private static func write(_ bytes: [UInt8], at offset: Int, into file: inout [UInt8]) {
        if file.count < offset + bytes.count {
            file.append(contentsOf: repeatElement(0, count: offset + bytes.count - file.count))
        }
        file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
}

@Suite(.tags(.board)) struct PowerCutTests {
    /// `size` is the number of changes that are stored together.
    @Test(arguments: TestMachine.seeds(4, briefly: 1), [1, 3])
    func anAcknowledgedCommitOutlastsAPowerCutAtAnyInstant(seed: UInt64, size: Int64) throws {
        var random = SeededGenerator(seed: seed)
        let origin = try TemporaryDirectory()
        let limits = StoreLimits(generations: 10, logFrames: 16)
        do {
            let store = try StoreFile(directory: origin.path, stamp: stamp, limits: limits)
            try store.set(("many/0", 0))
        }
        let start = try contents(in: origin.text)
        let recorder = Recorder()
        var states: [Int64: [String: JSONValue]] = [:]
        do {
            let store = try StoreFile(directory: origin.path, stamp: stamp, limits: limits, hook: recorder.hook)
            states[1] = try store.values
            for index in 2...40 as ClosedRange<Int64> {
                let changes: [(String, JSONValue?)] = [
                    ("pair/left", .integer(index)), ("pair/right", .integer(index)),
                    ("many/\(index % 7)", .string(String(repeating: "y", count: Int(index) * 20))),
                ]
                var number = store.generation.generation + size
                if size > 1 {
                    let group = try changes.map { try request("\(index) \($0.0)", [$0]) }
                    #expect(try store.commits.commit(together: group)?.generation == number - size + 1)
                } else {
                    number = try store.commit(changes)
                }
                recorder.steps.append(.acknowledged(number))
                states[number] = try store.values
            }
            try store.close(stamp: nil)
        }
        #expect(recorder.steps.count > 400)
        for _ in 0..<60 {
            let cut = Int.random(in: 0...recorder.steps.count, using: &random)
            let directory = try TemporaryDirectory()
            for (name, content) in recorder.files(start, cut: cut, using: &random) {
                try write(content, to: directory.appending(name))
            }
            var acknowledged: Int64 = 1
            for case .acknowledged(let number) in recorder.steps[..<cut] { acknowledged = number }
            let store = try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
            #expect(store.opening.notes.isEmpty, "seed \(seed), cut \(cut)")
            let number = store.generation.generation
            #expect(number == acknowledged || number == acknowledged + size, "seed \(seed), cut \(cut)")
            #expect(try store.values == states[number], "seed \(seed), cut \(cut)")
            #expect(try store.set(("after", 1)) == number + 1)
        }
    }
}
