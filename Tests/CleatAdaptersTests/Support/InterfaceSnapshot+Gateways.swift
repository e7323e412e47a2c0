import CleatSettings

@testable import CleatAdapters

extension InterfaceSnapshot {
    /// The gateways of the default routes.
    var defaultGateways: [String] { routes.filter(\.isDefault).compactMap { $0.gateway?.description } }
}
