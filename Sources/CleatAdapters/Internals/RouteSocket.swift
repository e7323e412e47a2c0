internal import CLinux
internal import SystemPackage

/// Sends requests to rtnetlink, one after the other, and waits for each answer; runs on the worker.
enum RouteSocket {
    /// The time limit for one answer of the kernel, in milliseconds; a request that waits for a driver can take
    /// seconds.
    private static let patience: UInt32 = 5_000
    /// The maximum size of one datagram; the kernel sends none that is larger.
    private static let datagramBytes = 64 << 10
    /// The maximum number of objects in one answer.
    private static let objectLimit = 1 << 17
    /// The maximum number of attempts for a list that changes while the kernel makes it.
    private static let attempts = 5

    /// Sends a request and reads its answer.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - again: called before a list that changed while it was made is passed to `each` again.
    ///   - each: called with each object of the answer, the fixed part first.
    /// - Returns: the kernel's refusal; nil if it accepted the request.
    /// - Throws: the socket's error, `badMessage` for a malformed answer, `fileTooLarge` for too many objects, or
    ///   `resourceTemporarilyUnavailable` if the list changed in every attempt.
    static func exchange(
        _ request: RouteRequest, again: () -> Void, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(Errno) -> RouteRefusal? {
        let socket = clinux_route_open(patience)
        guard socket >= 0 else { throw Errno(rawValue: 0 &- socket) }
        defer { clinux_route_close(socket) }
        for attempt in 1...UInt32(attempts) {
            if attempt > 1 { again() }
            try send(request.encoded(sequence: attempt), on: socket)
            switch try answer(to: attempt, on: socket, each) {
            case .done: return nil
            case .refused(let refusal): return refusal
            case .interrupted: continue
            }
        }
        throw .resourceTemporarilyUnavailable
    }

    static func send(_ bytes: [UInt8], on socket: Int32) throws(Errno) {
        let sent = unsafe bytes.withUnsafeBytes { unsafe clinux_route_send(socket, $0.baseAddress, $0.count) }
        guard sent == 0 else { throw Errno(rawValue: 0 &- sent) }
    }

    enum Answer {
        case done
        case refused(RouteRefusal)
        /// The list changed while it was made (`NLM_F_DUMP_INTR`).
        case interrupted
    }

    /// Receives the answer to a request.
    static func answer(
        to sequence: UInt32, on socket: Int32, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(Errno) -> Answer {
        var buffer = [UInt8](repeating: 0, count: datagramBytes)
        var objects = 0
        var isInterrupted = false
        while true {
            let length = unsafe buffer.withUnsafeMutableBytes {
                unsafe clinux_route_receive(socket, $0.baseAddress, $0.count)
            }
            guard length >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: 0 &- length)) }
            var rest = buffer[..<length]
            while !rest.isEmpty {
                guard let size = NativeBytes.number(UInt32.self, in: rest, at: 0).map({ Int($0) }), size >= 16,
                    size <= rest.count, let type = NativeBytes.number(UInt16.self, in: rest, at: 4),
                    let flags = NativeBytes.number(UInt16.self, in: rest, at: 6),
                    let answered = NativeBytes.number(UInt32.self, in: rest, at: 8)
                else { throw .badMessage }
                let body = rest.dropFirst(16).prefix(size - 16)
                rest = rest.dropFirst((size + 3) & ~3)
                guard answered == sequence else { continue }
                if flags & 0x10 != 0 { isInterrupted = true }
                switch type {
                // NLMSG_ERROR; its code is 0 if there is not an error.
                case 2:
                    let refusal = try refusal(in: body, flags: flags)
                    return refusal.map(Answer.refused) ?? (isInterrupted ? .interrupted : .done)
                // NLMSG_DONE; for a list that failed it contains the error.
                case 3:
                    let error = NativeBytes.number(UInt32.self, in: body, at: 0).map { Int32(bitPattern: $0) } ?? 0
                    if error < 0 { return .refused(RouteRefusal(Errno(rawValue: 0 &- error))) }
                    return isInterrupted ? .interrupted : .done
                default:
                    objects += 1
                    guard objects <= objectLimit else { throw .fileTooLarge }
                    each(body)
                }
            }
        }
    }

    private static func refusal(in body: ArraySlice<UInt8>, flags: UInt16) throws(Errno) -> RouteRefusal? {
        guard let code = NativeBytes.number(UInt32.self, in: body, at: 0).map({ Int32(bitPattern: $0) }),
            let size = NativeBytes.number(UInt32.self, in: body, at: 4)
        else { throw .badMessage }
        guard code != 0 else { return nil }
        // The error is followed by the header of the request, or by all of the request if NLM_F_CAPPED is not set. With
        // NLM_F_ACK_TLVS attributes follow, of which NLMSGERR_ATTR_MSG is the text.
        let skipped = flags & 0x100 != 0 ? 16 : (Int(size) + 3) & ~3
        var text: String?
        if flags & 0x200 != 0, let words = RouteAttribute.list(in: body.dropFirst(4 + skipped)).value(1) {
            let shown = String(decoding: words.prefix(200).prefix { $0 != 0 }, as: UTF8.self).unicodeScalars
            text = String(shown.filter { $0.properties.generalCategory != .control }.map(Character.init))
        }
        return RouteRefusal(Errno(rawValue: 0 &- code), text: text)
    }
}
