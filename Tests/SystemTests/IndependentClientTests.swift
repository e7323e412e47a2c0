import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Clients of other makers")
struct IndependentClientTests {
    // `.ci/setup test` puts the package there.
    private static let python = "PYTHONPATH=\(TestPlaces.package.appending(".build-python")) python3"

    static let pythonReason: Comment = "python3 has no varlink package: run .ci/setup test, or pip install varlink"
    static let hasPython = Machine.can(searching + "\(python) -c 'import varlink'", pythonReason)
    static let varlinkctlReason: Comment = "varlinkctl is not installed (systemd 255 and later have it)"
    static let hasVarlinkctl = Machine.can("command -v varlinkctl", varlinkctlReason)

    /// The search path of the test run: python3 may be anywhere.
    private static let searching = Environment.value("PATH").map { "PATH='\($0)'; " } ?? ""

    @Test(.enabled(if: hasPython, pythonReason))
    func referenceImplementation() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let script = TestPlaces.package.appending("Tests/SystemTests/varlink_peer.py")
            let result = try await board.script(Self.searching + "\(Self.python) \(script) $CLEAT_SOCKET")
            #expect(result.status == 0, "\(result.errorText)")
            #expect(result.output == "ok\n")
        }
    }

    @Test(.enabled(if: hasVarlinkctl, varlinkctlReason))
    func varlinkctl() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let info = try await board.script("varlinkctl info $CLEAT_SOCKET")
            #expect(info.status == 0 && info.output.contains("cleatd"), "\(info)")
            for interface in ["Settings", "Events", "Files", "Hooks", "Service"] {
                let text = try await board.script("varlinkctl introspect $CLEAT_SOCKET dev.cleat.\(interface)")
                #expect(text.status == 0, "\(text.errorText)")
            }
            let get = try await board.script(
                #"varlinkctl call -j $CLEAT_SOCKET dev.cleat.Settings.Get '{"path":"system/hostname"}'"#)
            let reply = try SettingsInterface.Get.Reply(wire: JSONReader.read(get.output).objectValue ?? [:])
            #expect(reply.setting.path == "system/hostname" && reply.setting.value == nil)
            let error = try await board.script(
                #"varlinkctl call -j $CLEAT_SOCKET dev.cleat.Settings.Get '{"path":"no/such"}'"#)
            #expect(error.status != 0)
            #expect(error.errorText.contains("UnknownSetting"))
        }
    }
}
