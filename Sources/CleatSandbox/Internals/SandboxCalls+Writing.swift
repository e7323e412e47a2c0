internal import SystemPackage

extension SandboxCalls {
    /// Writes all of the bytes, in as many calls as needed.
    ///
    /// - Throws: The system's error; a part of the bytes may be written then. A call that writes nothing is `EIO`.
    func writeAll(_ bytes: [UInt8], to file: FileDescriptor) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let start = done
            let written = try repeated { () throws(Errno) -> Int in
                let result = unsafe bytes.withUnsafeBytes { all in
                    Result { () throws(Errno) in
                        try unsafe write(UnsafeRawBufferPointer(rebasing: all[start...]), to: file)
                    }
                }
                return try result.get()
            }
            guard written > 0 else { throw .ioError }
            done += written
        }
    }
}
