package import CleatVarlink

extension APIError {
    /// The error as the wire's own type.
    package var varlinkError: VarlinkError { VarlinkError(name, parameters) }

    /// Reads an error of the wire.
    /// - Returns: nil where no Cleat interface declares it.
    package init?(_ error: VarlinkError) {
        self.init(name: error.name, parameters: error.parameters)
    }
}
