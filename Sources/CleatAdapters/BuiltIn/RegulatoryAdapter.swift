internal import CleatJSON
package import CleatSettings

/// Sets the country whose rules the radios follow.
///
/// The kernel forgets it at a boot, and the service sets it again.
package struct RegulatoryAdapter: LiveAdapter {
    private static let path = BuiltIn.path("network/wifi/country")

    /// `wifi-country`.
    package let name = "wifi-country"
    /// `network/wifi/country`.
    package let prefixes = [Self.path]

    /// Creates the adapter.
    package init() {}

    /// Wants the country that is set.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        guard let country = settings.inForce(Self.path)?.stringValue else { return desired }
        desired.want(.regulatoryDomain, .text(country), for: Self.path)
        return desired
    }

    /// Returns the kernel's country.
    package func live(
        _ scope: LiveScope, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LiveValue] {
        guard let country = try system.content(of: .regulatoryDomain) else { return [] }
        return [LiveValue(path: Self.path, value: .string(String(decoding: country, as: UTF8.self)))]
    }

    /// Returns the kernel's country.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? {
        String(decoding: content, as: UTF8.self)
    }
}
