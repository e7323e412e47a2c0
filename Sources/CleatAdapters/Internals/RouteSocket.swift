internal import CLinux
internal import SystemPackage

/// Makes requests to rtnetlink, one after the other, each answered before this goes on; it belongs on the worker.
enum RouteSocket {
    /// How long one answer of the kernel's may take, in milliseconds; what waits for a driver can take seconds.
    private static let patience: UInt32 = 5_000
    /// The most bytes of one datagram: the kernel makes none longer.
    private static let datagramBytes = 64 << 10
    /// The most objects of one answer.
    private static let objectLimit = 1 << 17
    /// How often a list is asked for that was changed while it was made.
    private static let attempts = 5

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - again: called before a list that changed while it was made is handed over anew.
    ///   - each: called with each object of the answer, the fixed part first.
    /// - Returns: why the kernel has refused it; nil where it has not.
    /// - Throws: that it could not be asked, or that its answer makes no sense.
    static func exchange(
        _ request: RouteRequest, again: () -> Void, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(Errno) -> RouteRefusal? {
        let socket = clinux_route_open(patience)
        guard socket >= 0 else { throw Errno(rawValue: 0 &- socket) }
        defer { clinux_route_close(socket) }
        for attempt in 1...UInt32(attempts) {
            if attempt > 1 { again() }
            let bytes = request.encoded(sequence: attempt)
            let sent = unsafe bytes.withUnsafeBytes { unsafe clinux_route_send(socket, $0.baseAddress, $0.count) }
            guard sent == 0 else { throw Errno(rawValue: 0 &- sent) }
            switch try answer(to: attempt, on: socket, each) {
            case .done: return nil
            case .refused(let refusal): return refusal
            case .interrupted: continue
            }
        }
        throw .resourceTemporarilyUnavailable
    }

    private enum Answer {
        case done
        case refused(RouteRefusal)
        /// What was listed changed meanwhile (`NLM_F_DUMP_INTR`).
        case interrupted
    }

    private static func answer(
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
                // NLMSG_ERROR, with 0 where nothing is wrong.
                case 2:
                    let refusal = try refusal(in: body, flags: flags)
                    return refusal.map(Answer.refused) ?? (isInterrupted ? .interrupted : .done)
                // NLMSG_DONE; a list that failed has its error there.
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
        // Behind the error stands the header of the request, or the whole of it where NLM_F_CAPPED is not set; then, where
        // NLM_F_ACK_TLVS is, the attributes, of which NLMSGERR_ATTR_MSG is the text.
        let skipped = flags & 0x100 != 0 ? 16 : (Int(size) + 3) & ~3
        var text: String?
        if flags & 0x200 != 0, let words = RouteAttribute.list(in: body.dropFirst(4 + skipped)).value(1) {
            let shown = String(decoding: words.prefix(200).prefix { $0 != 0 }, as: UTF8.self).unicodeScalars
            text = String(shown.filter { $0.properties.generalCategory != .control }.map(Character.init))
        }
        return RouteRefusal(Errno(rawValue: 0 &- code), text: text)
    }
}
