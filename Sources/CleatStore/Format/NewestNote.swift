import CleatHash
import CleatIO
import CleatSettings

/// A note of the last generation that a store has acknowledged; it shows later that the log was lost or damaged.
///
/// It is in a file of its own, which is written in place after each commit and not flushed, so that a commit still
/// costs one flush. It may therefore be older than the store, and is never newer.
struct NewestNote: Equatable {
    /// The last generation that was not on trial.
    var generation: GenerationRef
    /// The number of the last generation of all.
    var last: Int64
    /// The checksum of the confirmed settings.
    var sum: SettingsSum
    /// True if the store was closed after that, with its whole log moved into the main file.
    var isClosed = false
    /// The state in which a checked store was left by closing it: a hash of the stamps of its files; 0 for any other.
    var files: Int64 = 0

    /// The size of the file in bytes: small, as each commit writes it.
    static let size = 64
    private static let mark = Array("newest1".utf8)

    /// The file's bytes: a 7-byte mark, a byte that is 1 if the store was closed, the store's id (16 bytes), the two
    /// numbers, the sum and the hash of the files' stamps (64 bits each, the most significant byte first), and the
    /// 64-bit FNV-1a hash of all bytes before it.
    var bytes: [UInt8] {
        var bytes = Self.mark + [isClosed ? 1 : 0]
        bytes += Hexadecimal.bytes(of: generation.store)?.prefix(16) ?? []
        bytes += [UInt8](repeating: 0, count: 24 - bytes.count)
        for number in [generation.generation, last, sum.value, files] { Self.append(number, to: &bytes) }
        Self.append(Int64(bitPattern: FNV1a.hash(of: bytes)), to: &bytes)
        return bytes
    }

    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Decodes the bytes of the file; nil if they are not a note, or a damaged one.
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
            sum: SettingsSum(value: number(40)), isClosed: bytes[7] == 1, files: number(48))
    }

    init(generation: GenerationRef, last: Int64, sum: SettingsSum, isClosed: Bool = false, files: Int64 = 0) {
        self.generation = generation
        self.last = last
        self.sum = sum
        self.isClosed = isClosed
        self.files = files
    }

    /// Returns true if the files of a directory are as closing a checked store has left them.
    func isOfClosed(_ directory: StoreDirectory) -> Bool {
        isClosed && files != 0 && files == NewestNote.files(in: directory)
    }

    /// Returns a hash of the stamps of the main file and its log, which changes with each write of them; 0 if one is
    /// missing.
    ///
    /// As root, SQLite sets the owner of a log that it opens, which must not count. A write within the same tick of the
    /// kernel's clock as closing does not show: the check that follows the start finds what it did.
    static func files(in directory: StoreDirectory) -> Int64 {
        var bytes: [UInt8] = []
        for name in [StoreFormat.mainName, StoreFormat.logName] {
            guard let stamp = FileStamp(directory.path(of: name)) else { return 0 }
            for word in stamp.ofContent { append(word, to: &bytes) }
        }
        return Int64(bitPattern: FNV1a.hash(of: bytes))
    }

    /// Reads the note of the last generations; nil if there is none, or it is damaged or cannot be read: an intact
    /// store is opened without it.
    static func read(in directory: StoreDirectory) -> NewestNote? {
        guard let head = try? directory.head(of: StoreFormat.noteName, count: NewestNote.size, writing: false) else {
            return nil
        }
        return NewestNote(bytes: head.bytes)
    }
}
