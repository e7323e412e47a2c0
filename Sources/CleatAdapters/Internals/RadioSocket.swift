internal import CLinux
internal import CleatIO
internal import SystemPackage

/// Requests about the rules of radios, by generic netlink (linux/genetlink.h, linux/nl80211.h); runs on the worker.
struct RadioSocket {
    /// The time limit for one answer, and for the kernel to take a country, in milliseconds.
    private static let patience: UInt32 = 5_000
    /// `GENL_ID_CTRL`, the family that names the others.
    private static let controller: UInt16 = 16

    /// The commands, and the attributes of requests and answers.
    private enum Command { static let (getFamily, set, get): (UInt8, UInt8, UInt8) = (3, 27, 31) }
    private enum Attribute {
        static let (familyID, familyName, groups): (UInt16, UInt16, UInt16) = (1, 2, 7)
        static let (groupName, groupID): (UInt16, UInt16) = (1, 2)
        static let country: UInt16 = 33
    }

    private let socket: Int32
    private let family: UInt16

    /// Opens a socket that also receives the kernel's messages on its rules; nil if the kernel has no Wi-Fi.
    init?() throws(Errno) {
        socket = clinux_generic_open(Self.patience)
        guard socket >= 0 else { throw Errno(rawValue: 0 &- socket) }
        do throws(Errno) {
            let name = RouteAttribute(Attribute.familyName, Array("nl80211".utf8) + [0])
            var found: [RouteAttribute] = []
            try Self.ask(Self.controller, Command.getFamily, [name], on: socket) { found = $0 }
            guard
                let id = found.value(Attribute.familyID).flatMap({ NativeBytes.number(UInt16.self, in: $0[...], at: 0) }
                )
            else { throw .badMessage }
            family = id
            for group in RouteAttribute.list(in: (found.value(Attribute.groups) ?? [])[...]) {
                let group = RouteAttribute.list(in: group.value[...])
                guard let name = group.value(Attribute.groupName), name.starts(with: Array("regulatory".utf8)),
                    let number = group.number(Attribute.groupID)
                else { continue }
                let joined = clinux_generic_join(socket, number)
                guard joined == 0 else { throw Errno(rawValue: 0 &- joined) }
            }
        } catch {
            clinux_route_close(socket)
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    func close() { clinux_route_close(socket) }

    /// Reads the country.
    func domain() throws(Errno) -> String {
        var found: [RouteAttribute] = []
        try Self.ask(family, Command.get, [], on: socket) { found = $0 }
        return String(decoding: (found.value(Attribute.country) ?? []).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Sets the country; the kernel takes it later, and says so.
    func set(_ country: String) throws(Errno) {
        if try domain() == country { return }
        try Self.ask(family, Command.set, [RouteAttribute(Attribute.country, Array(country.utf8))], on: socket) { _ in }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let end = BootTime.now().milliseconds + Int64(Self.patience)
        // Each message may be on another request.
        while try domain() != country {
            guard BootTime.now().milliseconds < end else { throw .timedOut }
            let length = unsafe buffer.withUnsafeMutableBytes {
                unsafe clinux_route_receive(socket, $0.baseAddress, $0.count)
            }
            let error = Errno(rawValue: Int32(truncatingIfNeeded: 0 &- length))
            guard length >= 0 || error == .timedOut else { throw error }
        }
    }

    /// Sends a request, and passes the attributes of the answer.
    private static func ask(
        _ family: UInt16, _ command: UInt8, _ attributes: [RouteAttribute], on socket: Int32,
        _ each: ([RouteAttribute]) -> Void
    ) throws(Errno) {
        // struct nlmsghdr with NLM_F_REQUEST and NLM_F_ACK, and struct genlmsghdr.
        let body = [command, 1, 0, 0] + attributes.flatMap(\.encoded)
        let header =
            NativeBytes.bytes(UInt32(truncatingIfNeeded: body.count + 16)) + NativeBytes.bytes(family)
            + NativeBytes.bytes(UInt16(0x5)) + NativeBytes.bytes(UInt32(1)) + [0, 0, 0, 0]
        try RouteSocket.send(header + body, on: socket)
        let answer = try RouteSocket.answer(to: 1, on: socket) { object in
            each(RouteAttribute.list(in: object.dropFirst(4)))
        }
        if case .refused(let refusal) = answer { throw refusal.errno }
    }
}
