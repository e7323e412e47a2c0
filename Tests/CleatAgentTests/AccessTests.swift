import CleatAPI
import CleatAgent
import CleatIO
import CleatVarlink
import Testing

@Suite("Rights of callers")
struct AccessTests {
    struct Caller: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var identity: ClientIdentity
        /// The rights of the caller if there is a group `cleat`, number 600, and the service runs as user 900.
        var may: Set<Access.Operation>

        init(_ name: String, uid: UInt32, gid: UInt32, groups: [UInt32] = [], may: Set<Access.Operation>) {
            testDescription = name
            identity = ClientIdentity(uid: uid, groups: [gid] + groups, proof: "peer")
            // Every client may prove another identity.
            self.may = may.union([.anyone])
        }
    }

    static let callers = [
        Caller("root", uid: 0, gid: 0, may: [.read, .write, .execute]),
        Caller("root without any group", uid: 0, gid: 65_534, may: [.read, .write, .execute]),
        Caller("the service's own user", uid: 900, gid: 900, may: [.read, .write, .execute]),
        Caller("a member by its own group", uid: 1_000, gid: 600, may: [.read, .write]),
        Caller("a member by a further group", uid: 1_000, gid: 1_000, groups: [4, 24, 600], may: [.read, .write]),
        Caller("a stranger", uid: 1_000, gid: 1_000, groups: [4, 24], may: []),
        Caller("a stranger whose user has the group's number", uid: 600, gid: 1_000, may: []),
        Caller("a stranger in the group of the service's user", uid: 1_000, gid: 900, groups: [900], may: []),
        Caller("a stranger in root's group", uid: 1_000, gid: 0, groups: [0], may: []),
        Caller("nobody", uid: 65_534, gid: 65_534, may: []),
        Caller("the number that stands for no user", uid: .max, gid: .max, may: []),
    ]

    @Test("The table", arguments: callers)
    func table(_ caller: Caller) {
        let access = Access(owner: 900, group: 600)
        for operation in Access.Operation.allCases {
            #expect(access.decide(caller.identity, operation) == caller.may.contains(operation), "\(operation)")
        }
    }

    @Test("Secrets are for root and the service's own user", arguments: callers)
    func secrets(_ caller: Caller) {
        #expect(Access(owner: 900, group: 600).reveals(caller.identity) == caller.may.contains(.execute))
    }

    @Test("Without the group only root and the service's own user have access", arguments: callers)
    func withoutGroup(_ caller: Caller) {
        let access = Access(owner: 900, group: nil)
        for operation in Access.Operation.allCases {
            let isAllowed = operation == .anyone || caller.may == Set(Access.Operation.allCases)
            #expect(access.decide(caller.identity, operation) == isAllowed)
        }
    }

    @Test("For a service that root runs, another user is a stranger")
    func ownedByRoot() {
        let access = Access(owner: 0, group: 600)
        #expect(access.decide(ClientIdentity(uid: 0, groups: [0], proof: "peer"), .execute))
        #expect(!access.decide(ClientIdentity(uid: 900, groups: [900], proof: "peer"), .read))
    }

    static let operations: [String: Access.Operation] = [
        "dev.cleat.Settings.Get": .read, "dev.cleat.Settings.List": .read, "dev.cleat.Settings.Describe": .read,
        "dev.cleat.Settings.Set": .write, "dev.cleat.Settings.Watch": .read, "dev.cleat.Settings.Log": .read,
        "dev.cleat.Settings.Why": .read, "dev.cleat.Settings.Schema": .read, "dev.cleat.Settings.Doctor": .read,
        "dev.cleat.Settings.InstalledSchemas": .read, "dev.cleat.Settings.EnableSchema": .execute,
        "dev.cleat.Settings.Reload": .execute, "dev.cleat.Settings.Reset": .write,
        "dev.cleat.Settings.Rollback": .write,
        "dev.cleat.Transactions.Pending": .read, "dev.cleat.Transactions.Confirm": .write,
        "dev.cleat.System.Drift": .read, "dev.cleat.System.Reapply": .write, "dev.cleat.System.Adopt": .write,
        "dev.cleat.System.Live": .read, "dev.cleat.System.Present": .write, "dev.cleat.System.Network": .read,
        "dev.cleat.Transactions.Wait": .read, "dev.cleat.Transactions.Abort": .write,
        "dev.cleat.Transactions.Extend": .write,
        "dev.cleat.Snapshots.List": .read, "dev.cleat.Snapshots.Show": .read, "dev.cleat.Snapshots.Diff": .read,
        "dev.cleat.Snapshots.Create": .write, "dev.cleat.Snapshots.Restore": .write,
        "dev.cleat.Snapshots.Delete": .write, "dev.cleat.Snapshots.Export": .execute,
        "dev.cleat.Snapshots.Import": .execute,
        "dev.cleat.Settings.Diff": .read, "dev.cleat.Events.Subscribe": .read, "dev.cleat.Events.Devices": .read,
        "dev.cleat.Events.Emit": .write, "dev.cleat.Events.Links": .read, "dev.cleat.Events.Power": .read,
        "dev.cleat.Events.Kept": .read,
        "dev.cleat.Hooks.List": .read,
        "dev.cleat.Hooks.Test": .read,
        "dev.cleat.Hooks.Run": .execute,
        "dev.cleat.Hooks.Pause": .execute,
        "dev.cleat.Hooks.Resume": .execute,
        "dev.cleat.Files.Areas": .read, "dev.cleat.Files.List": .read, "dev.cleat.Files.Stat": .read,
        "dev.cleat.Files.Read": .read, "dev.cleat.Files.Hash": .read, "dev.cleat.Files.Uploads": .read,
        "dev.cleat.Files.Begin": .write, "dev.cleat.Files.Write": .write, "dev.cleat.Files.Commit": .write,
        "dev.cleat.Files.Abort": .write, "dev.cleat.Files.Remove": .write, "dev.cleat.Files.Move": .write,
        "dev.cleat.Files.Copy": .write, "dev.cleat.Files.MakeDirectory": .write,
        "dev.cleat.Files.Append": .write, "dev.cleat.Files.SetMode": .write,
        "dev.cleat.Service.Status": .read, "dev.cleat.Service.Flash": .read,
        "dev.cleat.Service.Authenticate": .anyone,
    ]

    static let descriptions = Dictionary(
        APIInterfaces.all.map { ($0.name, $0.idl) }, uniquingKeysWith: { first, _ in first })

    @Test("Every method of every interface has an access class", arguments: descriptions.keys.sorted())
    func methods(_ name: String) throws {
        let interface = try InterfaceDescription(#require(Self.descriptions[name]))
        let names = interface.methods.keys.map { "\(interface.name).\($0)" }
        #expect(!names.isEmpty)
        for method in interface.methods.keys {
            let wanted = try #require(Self.operations["\(interface.name).\(method)"], "\(method) has no place")
            #expect(Access.operation(interface: interface.name, method: method) == wanted)
        }
        #expect(Set(names) == Set(Self.operations.keys.filter { $0.hasPrefix(interface.name + ".") }))
    }

    @Test("Methods of the Varlink specification are reads; unknown ones need the most rights")
    func others() {
        #expect(Access.operation(interface: "org.varlink.service", method: "GetInfo") == .read)
        #expect(Access.operation(interface: "org.varlink.service", method: "GetInterfaceDescription") == .read)
        #expect(Access.operation(interface: "dev.cleat.Settings", method: "New") == .execute)
        #expect(Access.operation(interface: "dev.cleat.New", method: "Get") == .execute)
        #expect(Access.operation(interface: "", method: "") == .execute)
    }
}
