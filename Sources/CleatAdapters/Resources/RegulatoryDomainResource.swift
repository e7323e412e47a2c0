internal import CleatAPI
internal import SystemPackage

/// The country whose rules the radios follow, in the kernel (linux/nl80211.h).
struct RegulatoryDomainResource: TextResource {
    static let kind = "regulatory-domain"
    /// The country that stands for the rules of the whole world.
    private static let world = "00"

    static func resource(named name: String?) -> Resource? { name == nil ? .regulatoryDomain : nil }

    var resource: Resource { .regulatoryDomain }
    var name: String? { nil }
    var description: String { "the country of the radios" }
    var isRuntimeState: Bool { true }
    var reasonForNothing: String? { "this kernel had no Wi-Fi at the time of the change" }

    func accepts(_ content: Memento.Content) -> Bool { content.plainText != nil }

    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        let country = try asked(.capture) { () throws(Errno) in try system.kernel.regulatoryDomain() }
        return country.map { .text(Array($0.utf8)) } ?? .nothing
    }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .text(let country) = state else { throw misfit(.apply) }
        guard try content(on: system) != nil else {
            return .skipped("this kernel has no Wi-Fi (cfg80211); once it has, apply the country: cleat reapply --all")
        }
        return try set(country, .apply, system)
    }

    /// Restores the country; one that the kernel has made of several is the whole world's.
    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard let text = content.text else { throw misfit(.restore) }
        let country = String(decoding: text, as: UTF8.self)
        return try set(country.utf8.allSatisfy { $0 > UInt8(ascii: "9") } ? country : Self.world, .restore, system)
    }

    private func set(
        _ country: String, _ stage: ResourceError.Stage, _ system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        do throws(Errno) {
            try system.kernel.setRegulatoryDomain(country)
            return .written
        } catch {
            guard error == .timedOut || error == .invalidArgument else {
                throw ResourceError(stage, kernel: resource, error)
            }
            let present =
                (try? content(on: system)).flatMap { $0.map { String(decoding: $0, as: UTF8.self) } } ?? "none"
            throw ResourceError(
                stage, resource, errno: error,
                reason:
                    "the kernel does not take \(country), and has \(present): install wireless-regdb, and check that it "
                    + "has the country; a radio or an access point may also restrict it")
        }
    }

    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        if (try? system.kernel.mayConfigureNetwork()) == true { return nil }
        return "needs the capability CAP_NET_ADMIN to set the country of the radios; \(MissingRight.remedy())"
    }

    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        planned.compareValues(before.content.text, goal.text, isHidden: isSecret)
    }
}
