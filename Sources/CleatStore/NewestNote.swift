import CleatAPI
import CleatSandbox

/// Says up to which generation a store has acknowledged changes: what tells that its log was lost or damaged.
///
/// It stands in a file of its own, which is written in place after each commit and not flushed, so that a commit still
/// costs one flush. It may therefore be older than the store, and is never newer.
struct NewestNote: Equatable {
    /// The last generation that was not on trial.
    var generation: GenerationRef
    /// The number of the last generation of all.
    var last: Int64
    /// The sum of the confirmed settings.
    var sum: SettingsSum
    /// Whether the store was closed after that, with its whole log in the main file.
    var isClosed = false

    /// The bytes of the file: few, for each commit writes them.
    static let size = 64
    private static let mark = Array("newest1".utf8)

    /// The file's bytes: a mark, whether the store was closed, its id, the two numbers and the sum (64 bits each, the most
    /// significant byte first), and the FNV-1a hash of all that.
    var bytes: [UInt8] {
        var bytes = Self.mark + [isClosed ? 1 : 0]
        bytes += Hexadecimal.bytes(of: generation.store)?.prefix(16) ?? []
        bytes += [UInt8](repeating: 0, count: 24 - bytes.count)
        for number in [generation.generation, last, sum.value] { Self.append(number, to: &bytes) }
        bytes += [UInt8](repeating: 0, count: Self.size - 8 - bytes.count)
        Self.append(Int64(bitPattern: FNV1a.hash(of: bytes)), to: &bytes)
        return bytes
    }

    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Reads the bytes of the file; nil where they are not a note, or a damaged one.
    init?(bytes: [UInt8]) {
        func number(_ offset: Int) -> Int64 {
            Int64(bitPattern: bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) })
        }
        guard bytes.count == Self.size, bytes.starts(with: Self.mark),
            number(Self.size - 8) == Int64(bitPattern: FNV1a.hash(of: bytes.dropLast(8)))
        else { return nil }
        let (generation, last) = (number(24), number(32))
        guard 0 <= generation, generation <= last, last < .max / 2 else { return nil }
        self.init(
            generation: GenerationRef(store: Hexadecimal.text(of: bytes[8..<24]), generation: generation), last: last,
            sum: SettingsSum(value: number(40)), isClosed: bytes[7] == 1)
    }

    init(generation: GenerationRef, last: Int64, sum: SettingsSum, isClosed: Bool = false) {
        self.generation = generation
        self.last = last
        self.sum = sum
        self.isClosed = isClosed
    }
}

/// Sums up settings, in any order, so that a damaged one is noticed: SQLite has no checksum of its pages.
///
/// Each setting counts with the 64-bit FNV-1a hash of its path, a zero byte, and its value.
struct SettingsSum: Equatable {
    /// The sum, modulo 2^64.
    var value: Int64 = 0

    /// Counts a setting in.
    mutating func add(_ path: String, _ value: String) { self.value &+= Self.hash(path, value) }

    /// Counts a setting out.
    mutating func remove(_ path: String, _ value: String) { self.value &-= Self.hash(path, value) }

    private static func hash(_ path: String, _ value: String) -> Int64 {
        var hash = FNV1a()
        hash.update(path.utf8)
        hash.update(CollectionOfOne(0))
        hash.update(value.utf8)
        return Int64(bitPattern: hash.value)
    }
}
