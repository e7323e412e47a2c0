import CleatTestSupport
import SystemPackage

/// Shell lines that have the real services of a system run in the namespaces of a test.
enum RealServices {
    /// `appear DIRECTORY PROGRAM…`: adds programs to a directory of the system, for these namespaces only.
    static let appear = """
        appear() {
            place=$1
            shift
            mkdir -p "/run/hidden$place" "/run/shown$place"
            mount --bind "$place" "/run/hidden$place"
            ln -s "/run/hidden$place"/* "/run/shown$place"
            for program; do
                rm -f "/run/shown$place/${program##*/}"
                cp "$program" "/run/shown$place"
            done
            mount --bind "/run/shown$place" "$place"
        }

        """

    /// Starts a bus of the namespaces' own, at the place of the system's.
    static let bus = """
        mkdir -p /run/dbus
        cat >/run/dbus/bus.conf <<'END'
        <busconfig>
        <listen>unix:path=/run/dbus/system_bus_socket</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
        <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
        </policy>
        </busconfig>
        END
        dbus-daemon --config-file=/run/dbus/bus.conf --nofork --nopidfile 2>$D/bus.log &

        """

    /// A directory in which `.ci/setup` has unpacked a package that would take charge of the machine's own clock.
    static func unpacked(_ name: String) -> String { TestPlaces.package.appending(name).string }
}

extension Board {
    /// Waits until a script in namespaces prints something, and shows what it printed last where it does not.
    func eventually(_ space: PrivateNamespace, _ script: String, prints wanted: String) async throws {
        let last = TextBox()
        try await eventually("it was\n\(wanted)", showing: "and not, in this order:\n\(last.text)") {
            let output = try await space.script(script).output
            if !last.text.hasSuffix(output) { last.append("--\n" + output) }
            return output == wanted
        }
    }
}
