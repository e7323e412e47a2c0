package import CleatVarlink

extension APIError {
    /// The error as a Varlink error.
    package var varlinkError: VarlinkError { VarlinkError(name, parameters) }

    /// Reads a Varlink error.
    ///
    /// - Returns: nil if no Cleat interface declares it.
    package init?(_ error: VarlinkError) {
        self.init(name: error.name, parameters: error.parameters)
    }
}
