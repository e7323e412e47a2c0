import CleatIO
import CleatTestSupport
import SystemPackage

/// A listener in the place of the service, which answers as a test defines.
enum FakeService {
    /// Runs a body against a service that answers each call by what `answer` gives for the method's name; nil closes.
    static func with<T: Sendable>(
        answer: @escaping @Sendable (String, ByteStream) async throws -> String?,
        _ body: @escaping @Sendable (String) async throws -> T
    ) async throws -> T {
        try await withLoop { loop in
            let directory = try TemporaryDirectory()
            let listener = try UnixListener(loop: loop, path: directory.appending("socket"))
            let server = loop.task {
                while !Task.isCancelled, let stream = try? await listener.accept() {
                    loop.task { try? await serve(stream, answer) }
                }
            }
            defer {
                server.cancel()
                listener.close()
            }
            return try await body(directory.appending("socket"))
        }
    }

    private static func serve(
        _ stream: ByteStream, _ answer: @Sendable (String, ByteStream) async throws -> String?
    ) async throws {
        defer { stream.close() }
        var bytes: [UInt8] = []
        while true {
            let more = try await stream.read()
            if more.isEmpty { return }
            bytes += more
            while let end = bytes.firstIndex(of: 0) {
                let message = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeSubrange(...end)
                let marker = "\"method\":\""
                let method = message.firstRange(of: marker).map { message[$0.upperBound...].prefix { $0 != "\"" } }
                guard let text = try await answer(String(method ?? ""), stream) else { return }
                try await stream.write(Array(text.utf8) + [0])
            }
        }
    }
}

extension String {
    /// Finds a text, byte for byte.
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }
}
