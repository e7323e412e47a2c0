import CleatTestSupport
import Testing

@testable import CleatIO

@Suite("names of users")
struct UserNamesTests {
    @Test("names are kept until the file changes: written in its place, removed, or made again")
    func changes() throws {
        let directory = try TemporaryDirectory()
        func write(_ name: String) throws { try directory.write("\(name):x:7:7::/:/bin/sh\n", to: "passwd") }
        // Seen from a minute later, what was written just now can no longer be written at the same time.
        let later = UserNames(directory: directory.text) {
            WallTime(milliseconds: WallTime.now().milliseconds + 60_000)
        }
        let start = WallTime.now()
        let present = UserNames(directory: directory.text) { start }
        for names in [later, present] { #expect(names.name(of: 7) == nil && names.count == 0) }
        for name in ["ada", "bob", nil, "eve"] {
            if let name { try write(name) } else { try SocketCalls.unlink(directory.appending("passwd")) }
            for names in [later, present] {
                #expect(names.name(of: 7) == name && names.name(of: 7) == name && names.name(of: 8) == nil)
            }
            #expect(present.count == 0)
        }
        #expect(later.count == 2)
        for uid in 100..<300 as Range<UInt32> { #expect(later.name(of: uid) == nil) }
        #expect(later.count <= 64 && later.name(of: 7) == "eve")
    }
}
