internal import CleatSettings

/// The use of IPv6 on an interface.
enum IPv6Use: String {
    /// Addresses and routes come from router advertisements (SLAAC, RFC 4862), next to fixed ones.
    case automatic = "auto"
    /// Only fixed addresses and the link-local one are used.
    case fixed = "static"
    /// The interface has no IPv6 address.
    case off
}

extension InterfaceSettings {
    /// The parameters that the kernel must show once a service has configured the interface.
    var kernelValues: [KernelExpectation] {
        var values: [KernelExpectation] = []
        if let ipv6 = ip.ipv6 {
            values.append(KernelExpectation("disable_ipv6", of: name, is: ipv6 == .off ? "1" : "0"))
        }
        if let privacy = ip.privacy {
            values.append(KernelExpectation("use_tempaddr", of: name, is: privacy ? "2" : "0"))
        }
        return values
    }

    /// The kernel's own handling of router advertisements, which ifupdown sets; nil if `ipv6` is unset.
    ///
    /// The other services switch it off, and handle them themselves.
    var accepted: KernelExpectation? {
        ip.ipv6.map { KernelExpectation("accept_ra", of: name, is: $0 == .automatic ? "1" : "0") }
    }

    /// The gateway, if the service chooses the metric of its route; nil if `metric` is set, which makes it one of
    /// ``routesInOrder``.
    var unrankedGateway: InternetAddress? { ip.metric == nil ? ip.gateway : nil }
}
