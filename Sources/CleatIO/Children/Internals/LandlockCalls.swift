internal import CLinux
internal import SystemPackage

extension Kernel {
    /// The version of the kernel's Landlock ABI; 0 if there is no Landlock.
    static var landlockVersion: Int { Int(max(0, clinux_landlock_abi())) }

    /// Makes the ruleset for a child; returns nil if the kernel has no Landlock and it is not required.
    static func rules(for access: WriteAccess, program: String) throws(SpawnError) -> Descriptor? {
        let landlock = access.landlock
        guard landlock.isSupported else {
            guard access.isRequired else { return nil }
            throw SpawnError(.noSandbox, program: program)
        }
        let rules: Descriptor
        do throws(Errno) {
            rules = Descriptor(owning: try check(clinux_landlock_ruleset(landlock.handled.rawValue)))
        } catch {
            throw SpawnError(.sandboxFailed, program: program, underlying: error)
        }
        for place in access.places {
            do throws(Errno) {
                try allow(place, in: rules, landlock)
            } catch {
                throw SpawnError(.badWritePath, program: program, place: place.name, underlying: error)
            }
        }
        // A shell's `>/dev/null` changes nothing; an image may lack the device.
        try? allow(.path("/dev/null"), in: rules, landlock)
        return rules
    }

    private static func allow(
        _ place: WriteAccess.Place, in rules: Descriptor, _ landlock: Landlock
    ) throws(Errno) {
        switch place {
        case .path(let path):
            let opened = Descriptor(
                owning: try check(unsafe path.withPlatformString { unsafe clinux_landlock_place($0) }))
            try allow(opened.rawValue, in: rules, landlock)
            opened.close()
        case .descriptor(let descriptor, _): try allow(descriptor.rawValue, in: rules, landlock)
        }
    }

    private static func allow(_ place: Int32, in rules: Descriptor, _ landlock: Landlock) throws(Errno) {
        try check(
            clinux_landlock_allow(
                rules.rawValue, place, landlock.grantedBelowDirectory.rawValue, landlock.grantedOnFile.rawValue))
    }
}
