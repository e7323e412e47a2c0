import CleatTestSupport
import Testing

@testable import CleatIO

/// Echo requests on datagram sockets and on raw ones, and what answers them.
@Suite(.tags(.fault)) struct EchoRequestTests {
    @Test func aRawRequestOfIPv4HasItsChecksumAndIdentifier() {
        var echo = EchoRequest(isV4: true, isRaw: true, identifier: 0x1234)
        echo.sequence = 7
        let bytes = echo.bytes
        #expect(bytes.count == 32 && bytes[0] == 8 && Array(bytes[4..<8]) == [0x12, 0x34, 0, 7])
        // RFC 1071: over the whole message, its checksum included, it is zero.
        #expect(EchoRequest.checksum(bytes) == 0)
        #expect(EchoRequest.checksum([0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]) == 0x220d)
    }

    @Test func onlyItsOwnAnswerCounts() {
        let header: [UInt8] = [0x46] + [UInt8](repeating: 0, count: 23)
        func reply(_ type: UInt8, _ identifier: [UInt8]) -> [UInt8] { [type, 0, 0, 0] + identifier + [0, 1] }
        let echo = EchoRequest(isV4: true, isRaw: true, identifier: 0x1234)
        #expect(echo.isAnswered(by: header + reply(0, [0x12, 0x34])))
        #expect(!echo.isAnswered(by: header + reply(0, [0x12, 0x35])))
        // The request itself, as loopback returns it, and a truncated one.
        #expect(!echo.isAnswered(by: header + reply(8, [0x12, 0x34])))
        for count in 0..<32 { #expect(!echo.isAnswered(by: Array((header + reply(0, [0x12, 0x34])).prefix(count)))) }
        let six = EchoRequest(isV4: false, isRaw: true, identifier: 0x1234)
        #expect(six.isAnswered(by: reply(129, [0x12, 0x34])) && !six.isAnswered(by: reply(129, [1, 2])))
        #expect(EchoRequest(isV4: true, isRaw: false).isAnswered(by: reply(0, [9, 9])))
    }
}
