import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// The contents that tests send, and helpers to send them.
enum Files {
    /// The size of a large file: on a board the files are in a small memory.
    static let large = TestMachine.slowness > 1 ? 6 << 20 : TestMachine.rounds(100_000_000, briefly: 70_000_000)

    /// Bytes that look like nothing in particular.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for index in 0..<count {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                unsafe buffer[index] = UInt8(truncatingIfNeeded: state >> 33)
            }
            filled = count
        }
    }
}

extension RunningAgent {
    /// Begins a file and sends as much of it as is asked for; gives the offset.
    @discardableResult
    func begin(
        _ bytes: [UInt8], at path: String, in area: String = "documents", id: String, sending count: Int = 0
    ) async throws -> Int64 {
        let connection = try await connect()
        defer { connection.close() }
        var offset = try await connection.call(
            FilesInterface.Begin.self,
            .init(
                id: id, area: area, path: path, size: Int64(bytes.count), sha256: SHA256.hexadecimal(of: bytes))
        ).offset
        while offset < count {
            let piece = bytes[Int(offset)..<min(count, Int(offset) + APILimits.piece)]
            offset = try await connection.call(
                FilesInterface.Write.self, .init(id: id, offset: offset, data: Base64.encode(piece))
            ).offset
        }
        return offset
    }

    /// Puts a whole file.
    func put(_ bytes: [UInt8], at path: String, in area: String = "documents", id: String = "put") async throws {
        try await begin(bytes, at: path, in: area, id: id, sending: bytes.count)
        _ = try await call(FilesInterface.Commit.self, .init(id: id))
    }

    /// Reads the first piece of a file.
    func read(_ path: String, in area: String = "documents", token: String? = nil) async throws -> [UInt8] {
        let reply = try await call(FilesInterface.Read.self, .init(area: area, path: path, offset: 0, token: token))
        return try #require(Base64.decode(reply.data))
    }

    /// The error that a call about files has to bring.
    func fileError(_ method: String, _ parameters: JSONObject) async throws -> FilesError {
        let error = try await refusal("dev.cleat.Files.\(method)", parameters)
        guard case .files(let known) = APIError(error) else { throw Failure("\(method): \(error)") }
        return known
    }

    /// The most memory that it ever had, in bytes: VmHWM.
    func peakMemory() throws -> Int {
        let status = try contents(of: FilePath("/proc/\(try pid)/status"))
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1024
    }
}
