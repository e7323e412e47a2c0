import CLinux
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatIO

@Suite(.tags(.board)) struct SocketTests {
    @Test(arguments: [ServedSocket.Kind.stream, .packets])
    func onlyARefusedConnectionShowsThatNothingListens(kind: ServedSocket.Kind) throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("socket")
        func state(_ kind: ServedSocket.Kind) throws -> ServedSocket.State {
            try ServedSocket.state(of: path, kind: kind)
        }
        #expect(try state(kind) == .absent)
        let socket = try SocketCalls.unixSocket(nonblocking: true, kind: kind == .packets ? .packets : .stream)
        defer { try? FileDescriptor(rawValue: socket).close() }
        try SocketCalls.bind(socket, to: path)
        #expect(try state(kind) == .abandoned)
        try SocketCalls.listen(socket, backlog: 0)
        #expect(try state(kind) == .served)
        #expect(try state(kind) == .served, "a full queue has a listener, too")
        #expect(try state(kind == .packets ? .stream : .packets) == .served, "a socket of another type is not judged")
    }

    @Test func credentialsOfThePeer() async throws {
        let directory = try TemporaryDirectory()
        try await withLoop { loop async throws in
            let listener = try UnixListener(loop: loop, path: directory.appending("socket"))
            let client = try await ByteStream.connect(to: listener.address, loop: loop)
            let server = try await listener.accept()
            let peer = try #require(server.peer)
            #expect(peer.pid == ProcessSelf.pid)
            #expect(peer.uid == ProcessSelf.uid)
            #expect(peer.gid == ProcessSelf.gid)
            #expect(peer.isMember(of: ProcessSelf.gid))
            #expect(!peer.isMember(of: 4_000_000_000))
            try await client.write([1])
            #expect(try await server.read() == [1])
        }
    }

    @Test(
        .enabled(if: ProcessSelf.uid == 0, "only root may change the user"),
        .enabled(if: TestMachine.has("python3"), "needs python3, as the client of another user"))
    func groupsOfThePeer() async throws {
        let directory = try TemporaryDirectory()
        try await withLoop { loop async throws in
            let listener = try UnixListener(loop: loop, path: "@cleat-test-\(ProcessSelf.pid)-groups")
            let groups = (1...100).map { UInt32(50_000 + $0) }
            var command = ChildCommand(
                program: .path("/usr/bin/python3"),
                arguments: [
                    "-c", "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.recv(1)",
                    "\0\(listener.address.path.dropFirst())",
                ])
            command.arguments[1] =
                "import socket,sys; s=socket.socket(socket.AF_UNIX); "
                + "s.connect(chr(0)+sys.argv[1]); s.recv(1)"
            command.arguments[2] = String(listener.address.path.dropFirst())
            command.user = .init(uid: 65534, gid: 65533, groups: groups)
            let child = loop.task { [command] in try await loop.run(command) }
            let connection = try await loop.withDeadline(.seconds(20).onThisMachine) { try await listener.accept() }
            let peer = try #require(connection.peer)
            #expect(peer.uid == 65534)
            #expect(peer.gid == 65533)
            #expect(peer.groups.sorted() == groups)
            #expect(peer.isMember(of: 50_100))
            connection.close()
            #expect(try await child.value.isSuccess)
        }
        _ = directory
    }

    @Test func modeAndGroupAreSet() async throws {
        let directory = try TemporaryDirectory()
        try await withLoop { loop async throws in
            let path = directory.appending("socket")
            let listener = try UnixListener(loop: loop, path: path, mode: 0o660, group: ProcessSelf.gid)
            let result = try await loop.run(ChildCommand("/usr/bin/env", ["stat", "-c", "%a %g %F", path]))
            #expect(result.outputText == "660 \(ProcessSelf.gid) socket\n")
            listener.close()
            listener.close()
            let gone = try await loop.run(ChildCommand("/usr/bin/env", ["test", "-e", path]))
            #expect(gone.status == .exited(1))
        }
    }

    @Test func aStaleSocketIsReplacedAndALiveOneIsNot() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("socket")
        try await withLoop { loop async throws in
            // A killed process leaves this: a bound socket without a listener.
            let stale = clinux_unix_socket(1, 0)
            #expect(stale >= 0)
            #expect(unsafe path.withCString { unsafe clinux_unix_bind(stale, $0, path.utf8.count) } == 0)
            try FileDescriptor(rawValue: stale).close()

            let listener = try UnixListener(loop: loop, path: path)
            let error = #expect(throws: SocketError.self) { _ = try UnixListener(loop: loop, path: path) }
            #expect(error?.code == .addressInUse)
            #expect(error?.description.contains(path) == true)
            // The live one is unchanged, and the probe looks like a client that has disconnected.
            let client = try await ByteStream.connect(to: listener.address, loop: loop)
            let probe = try await listener.accept()
            #expect(try await probe.read().isEmpty)
            let server = try await listener.accept()
            try await client.write([5])
            #expect(try await server.read() == [5])
        }
    }

    @Test func aFullQueueIsAlive() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("socket")
        try await withLoop { loop async throws in
            let listener = try UnixListener(loop: loop, path: path, backlog: 0)
            var waiting: [Int32] = []
            while true {
                let fd = clinux_unix_socket(1, 1)
                waiting.append(fd)
                if unsafe path.withCString({ unsafe clinux_unix_connect(fd, $0, path.utf8.count) }) != 0 { break }
            }
            let error = #expect(throws: SocketError.self) { _ = try UnixListener(loop: loop, path: path) }
            #expect(error?.code == .addressInUse)
            for fd in waiting { try FileDescriptor(rawValue: fd).close() }
            _ = listener
        }
    }

    struct Refusal: Sendable {
        var path: String
        var code: SocketError.Code
    }

    @Test(arguments: [
        Refusal(path: "missing/socket", code: .noDirectory),
        Refusal(path: "file", code: .notASocket),
        Refusal(path: "file/socket", code: .noDirectory),
        Refusal(path: String(repeating: "x", count: 120), code: .pathTooLong),
        Refusal(path: "a\0b", code: .invalidPath),
    ])
    func refusesPaths(_ refusal: Refusal) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "file")
        let path = directory.appending("") + "/" + refusal.path
        try await withLoop { loop async throws in
            let error = #expect(throws: SocketError.self) { _ = try UnixListener(loop: loop, path: path) }
            #expect(error?.code == refusal.code)
            #expect(error?.description.contains(path) == true)
        }
        #expect(try directory.read("file") == "precious")
    }

    @Test func noListener() async throws {
        let directory = try TemporaryDirectory()
        try await withLoop { loop async throws in
            let error = await #expect(throws: SocketError.self) {
                _ = try await ByteStream.connect(to: UnixAddress(directory.appending("socket")), loop: loop)
            }
            #expect(error?.code == .noDirectory)
        }
    }

    @Test func closingEndsAccepting() async throws {
        try await withLoop { loop async throws in
            let listener = try UnixListener(loop: loop, path: "@cleat-test-\(ProcessSelf.pid)-close")
            let accepting = loop.task { _ = try await listener.accept() }
            await loop.yield()
            listener.close()
            let result = await accepting.result
            #expect(throws: (any Error).self) { try result.get() }
        }
    }

    /// Without free descriptors clients are turned away at once, the loop does not spin, and service goes on when there
    /// are some again.
    @Test func survivesTheLackOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                let directory = try TemporaryDirectory()
                try await withLoop { loop async throws in
                    let listener = try UnixListener(loop: loop, path: directory.appending("socket"))
                    let path = listener.address.path
                    let clients = (0..<3).map { _ in clinux_unix_socket(1, 1) }
                    var hoard: [FileDescriptor] = []
                    while let next = try? FileDescriptor.open(FilePath("/dev/null"), .readOnly) {
                        hoard.append(next)
                        if hoard.count > 100_000 { break }
                    }
                    #expect(hoard.count < 100_000)
                    let accepting = loop.task { try await listener.accept() }
                    for client in clients {
                        #expect(
                            unsafe path.withCString { unsafe clinux_unix_connect(client, $0, path.utf8.count) } == 0)
                    }
                    #expect(try await loop.eventually { listener.refused == 3 })
                    // Turned away: the end is there to read.
                    for client in clients {
                        var byte: UInt8 = 0
                        #expect(unsafe clinux_read(client, &byte, 1) == 0)
                    }
                    for descriptor in hoard { try descriptor.close() }
                    let client = try await ByteStream.connect(to: listener.address, loop: loop)
                    let server = try await accepting.value
                    try await client.write([1])
                    #expect(try await server.read() == [1])
                }
            }
        }
    }
}
