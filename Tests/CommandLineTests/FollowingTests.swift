import CleatAPI
import CleatTestSupport
import Testing

@testable import cleat

/// Tests of the search for a board that a change moves to another address; SystemTests use the real ssh.
@Suite struct FollowingTests {
    @Test("The other addresses are the future or former ones, those of the caller's family first, without the caller's")
    func addresses() {
        var following = Following()
        #expect(following.addresses == [] && !following.isMoving)
        following.reach = Reach(
            link: "eth0", address: "192.0.2.1", old: ["192.0.2.1", "192.0.2.9"],
            new: ["2001:db8::2", "192.0.2.2", "fe80::1"])
        #expect(following.addresses == ["192.0.2.2", "2001:db8::2"] && following.isMoving)
        following.goesBack = true
        #expect(following.addresses == ["192.0.2.9"])
        following.goesBack = false
        following.reach?.address = "2001:db8::1"
        #expect(following.addresses == ["2001:db8::2", "192.0.2.2"])
        following.reach?.new.append("2001:db8::1")
        #expect(!following.isMoving, "it keeps the address that the command has come by")
        following.reach?.new = (1...9).map { "192.0.2.\($0)" }
        #expect(following.addresses.count == 4)
        // They go onto ssh's command line, where a board that is not what it says must have nothing run.
        following.reach?.new = ["$(id>x)", "-oProxyCommand=id", "192.0.2.2\n", "a b", "192.0.2.3/24", "192.0.2.7"]
        #expect(following.addresses == ["192.0.2.7"])
        following.reach?.new = []
        #expect(!following.isMoving && following.addresses == [], "what DHCP will give is not known")
    }

    @Test("If no address answers, the message names the change, the remaining time, and the command")
    func outlook() throws {
        var following = Following()
        following.home = .remote(RemoteAccess(host: try RemoteHost("root@board:2222")))
        following.id = "move"
        let unknown = following.outlook
        #expect(["move", "`cleat -H root@board -P 2222 log`"].allSatisfy(unknown.contains), "\(unknown)")
        following.deadline = .now + .seconds(90)
        let later = following.outlook
        #expect(["move", " 1m", "`cleat -H root@board -P 2222 log`"].allSatisfy(later.contains), "\(later)")
        following.deadline = .now - .seconds(1)
        let past = following.outlook
        #expect(["move", "`cleat -H root@board -P 2222 log`"].allSatisfy(past.contains), "\(past)")
        #expect(Set([unknown, later, past]).count == 3 && !past.contains(" 1m"), "\(past)")
        following.home = .local(socket: "/s")
        #expect(following.outlook.hasSuffix("`cleat log`"))
    }

    @Test("The name of the host's key is the one that ssh uses, at any address")
    func keyName() throws {
        let host = try RemoteHost("root@board:2222")
        func name(_ text: String) -> String { HostKeyName.name(in: text, of: host) }
        #expect(name("user root\nhostname 192.0.2.1\nport 22\n") == "192.0.2.1")
        #expect(name("hostname 192.0.2.1\nport 2222\n") == "[192.0.2.1]:2222")
        #expect(name("hostname 192.0.2.1\nport 2222\nhostkeyalias pump\n") == "pump")
        #expect(name("hostname fd00::1\nport 22\nhostkeyalias none\n") == "fd00::1")
        #expect(name("") == "[board]:2222", "a program that is not OpenSSH's")
        #expect(HostKeyName.name(in: "garbage\n\nport x\n", of: try RemoteHost("board")) == "board")
    }

    @Test("At another address user, port and options are the same, and only the known key is accepted")
    func moved() throws {
        var access = RemoteAccess(host: try RemoteHost("root@board:2222"))
        access.program = ["ssh", "-F", "none"]
        let arguments = access.moved(to: "192.0.2.2", key: "[board]:2222").arguments
        #expect(arguments.suffix(5) == ["-p", "2222", "--", "root@board", "cleatd connect"])
        for option in [
            "HostName=192.0.2.2", "HostKeyAlias=[board]:2222", "StrictHostKeyChecking=yes", "ControlPath=none",
            "BatchMode=yes", "ServerAliveInterval=5", "ConnectTimeout=10",
        ] {
            #expect(arguments.contains(option), "\(option): \(arguments)")
        }
        #expect(Array(arguments.prefix(3)) == access.program, "of two options ssh takes the first: the user's own")
    }

    @Test("Pauses grow up to the maximum, and end with the time")
    func retrying() {
        let start = ContinuousClock.now
        var retrying = Retrying(until: start + .seconds(10), longest: .milliseconds(50))
        #expect((0..<5).map { _ in retrying.next(now: start) } == [11, 21, 41, 51, 51])
        #expect(retrying.next(now: start + .milliseconds(9_990)) == 11)
        #expect(retrying.next(now: start + .seconds(10)) == nil)
    }
}
