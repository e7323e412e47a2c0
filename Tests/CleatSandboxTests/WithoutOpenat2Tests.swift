import CTestKernel
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// The same tests on a kernel that refuses openat2, as some containers' filters do, and qemu-user.
@Suite(.tags(.board)) struct WithoutOpenat2Tests {
    @Test func theWalkTakesOver() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                try #require(ctest_refuse_openat2() == 0)
                let root = try FileDescriptor.open(FilePath("/"), .readOnly, options: .directory)
                try #require(throws: Errno.noFunction) {
                    _ = try SystemFileCalls().open(".", beneath: root, for: .inspect)
                }
                try #require(Resolvers.best is WalkingResolver)
                let kind = ResolverKind.walk
                let jail = JailTests()
                try jail.linksAreNeverFollowed(kind: kind)
                try jail.fifosAndSocketsAreNeverOpened(kind: kind)
                try jail.aFileWithAnotherNameIsNeitherReadNorAddedTo(kind: kind)
                try jail.aFileIsNoDirectoryAndADirectoryNoFile(kind: kind)
                let access = FileAccessTests()
                try access.whatIsWrittenIsRead(kind: kind, size: 4096)
                try access.aStreamIsSeenOnlyWhenItIsCommitted(kind: kind)
                try access.bytesAreAddedAtTheEnd(kind: kind)
                let manipulation = ManipulationTests()
                try manipulation.filesAreDeleted(kind: kind)
                try manipulation.filesAndDirectoriesAreRenamed(kind: kind)
                try manipulation.directoriesAreMadeAndRemoved(kind: kind)
                try manipulation.aRemovalTakesWhatIsInsideAndNothingElse(kind: kind)
                try manipulation.filesMoveBetweenAreas(kind: kind)
                try ListingTests().aDirectoryIsListedInTheOrderOfBytes(kind: kind)
                try ModelTests().randomOperationsFailuresAndCrashes(kind: kind, seed: 1)
            }
        }
    }
}
