internal import CleatIO
internal import SystemPackage

/// An ifup and an ifdown, and how a shell script comes by them.
package struct IfupdownPrograms: Sendable, CustomStringConvertible {
    /// Whose they are.
    package let description: String
    /// Lines of the script, which has a `/run` of its own: then both are in the search path.
    package let script: String
    /// Lines that have both appear in `/usr/sbin`, for a script with `appear`.
    package let appearance: String

    /// Debian's own: the machine's, or where `.ci/setup` unpacks ifupdown, which would take charge of the machine's
    /// network if it was installed.
    private static let debians: IfupdownPrograms? = {
        let unpacked = TestPlaces.package.appending(".build-ifupdown").string
        let above = ["", unpacked].first { place in
            ["/usr/sbin/ifup", "/sbin/ifup"].contains { TestMachine.isThere(place + $0) }
        }
        guard let above else { return nil }
        if above.isEmpty { return IfupdownPrograms(description: "ifupdown", script: "", appearance: "") }
        let library = """
            # It calls scripts of its own in /lib/ifupdown, which appear there for this namespace only.
            lib=$(readlink -f /lib)
            mkdir /run/lib /run/both
            mount --bind "$lib" /run/lib
            ln -s /run/lib/* "\(above)/lib/ifupdown" /run/both
            mount --bind /run/both "$lib"

            """
        return IfupdownPrograms(
            description: "ifupdown", script: library + "PATH=\(above)/sbin:$PATH\n",
            appearance: library + "appear /usr/sbin \(above)/sbin/ifup \(above)/sbin/ifdown\n")
    }()

    /// BusyBox's: that which `.ci/setup` unpacks, or the machine's, where it knows addresses, as that of boards does.
    package static let busyBox: String? = {
        guard TestMachine.has("run-parts"), let loop = try? EventLoop() else { return nil }
        let unpacked = TestPlaces.package.appending(".build-busybox").appending("busybox").string
        return [unpacked, "/usr/bin/busybox", "/bin/busybox"].first { program in
            guard TestMachine.isThere(program) else { return false }
            let script = "echo iface x inet manual | \(program) ifup -n -i /proc/self/fd/0 x"
            return (try? loop.block { try await Namespace.run(script, on: loop) })?.isSuccess == true
        }
    }()

    /// Both that are there.
    package static let all: [IfupdownPrograms] = [
        debians,
        busyBox.map { found in
            IfupdownPrograms(
                description: "BusyBox",
                script: """
                    mkdir /run/bin
                    for name in ifup ifdown; do ln -s \(found) /run/bin/$name; done
                    PATH=/run/bin:$PATH

                    """,
                appearance: """
                    appear /usr/sbin \(found)
                    for name in ifup ifdown; do ln -sf busybox /run/shown/usr/sbin/$name; done

                    """)
        },
    ].compactMap(\.self)
}
