package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The paths of the built programs and of the package's files, for all tests.
///
/// `swift test` runs the tests from the build directory, and the package is where it was compiled. On a board there is
/// neither: `cross/build-tests` puts the programs into the directory of the tests, and the package's files that tests
/// read into its subdirectory `package`.
package enum TestPlaces {
    /// The program that runs the tests.
    package static let runner: FilePath = {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            let read = unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                unsafe readlink("/proc/self/exe", $0, buffer.count)
            }
            count = max(0, read)
        }
        return FilePath(String(decoding: bytes, as: UTF8.self))
    }()

    /// The directory of the program that runs the tests.
    package static let directory = runner.removingLastComponent()

    /// The package's directory, or what was brought of it.
    package static let package: FilePath = {
        let brought = directory.appending("package")
        if unsafe access(brought.string, R_OK) == 0 { return brought }
        return FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
    }()

    /// Returns the path of a program of this package, which is built into the directory of the tests.
    package static func program(_ name: String) -> FilePath { directory.appending(name) }
}
