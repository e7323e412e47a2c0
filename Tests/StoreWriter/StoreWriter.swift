import CleatJSON
import CleatSettings
import CleatStore
import SystemPackage

/// Works on a store from a process of its own, so that a test can kill it, or take its rights or its disk away.
///
/// `StoreWriter commit DIRECTORY COUNT` commits COUNT times (0: for ever), prints the number of each acknowledged
/// generation, and closes the store. `StoreWriter trial DIRECTORY COUNT` does so with trials, which are confirmed and
/// reverted in turn; it reverts a trial that it finds first. `StoreWriter large-trial DIRECTORY` starts with a trial
/// that has 500,000 bytes of mementos, and continues with 200 small ones. `StoreWriter open DIRECTORY` opens and closes
/// it. `StoreWriter hold DIRECTORY` opens it and waits for the end of its input. `StoreWriter large DIRECTORY` commits
/// a value of 900,000 bytes. Each ends with a line: `done`, or `error CODE DESCRIPTION`.
///
/// The other modes are for power cuts (`cross/power`), with options written `name=value`: `power` and `files` write as
/// fast as they can and print what is durable; `verify` and `verify-files` check the result after a cut and print one
/// JSON object; `facade` and `verify-facade` do so with the file facade, its appended files, its uploads and managed
/// files. `managed` tries all operations on a managed file, from a process that a test has put into its own mount
/// namespace.
@main
struct StoreWriter {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return say("error usage") }
        let options = WriterOptions(arguments.dropFirst(3))
        switch arguments[1] {
        case "power": return PowerWriter.run(FilePath(arguments[2]), options)
        case "files": return FileSequence.write(FilePath(arguments[2]), options)
        case "facade": return FacadeSequence.write(FilePath(arguments[2]), options)
        case "managed": return ManagedAttempt.run(FilePath(arguments[2]), options)
        case "verify": return say(StoreVerifier.report(FilePath(arguments[2]), options))
        case "verify-files": return say(FileSequence.report(FilePath(arguments[2]), options))
        case "verify-facade": return say(FacadeSequence.report(FilePath(arguments[2]), options))
        default: break
        }
        do throws(StoreError) {
            let store = try StoreFile(directory: FilePath(arguments[2]))
            say("open \(store.generation.generation)")
            for note in store.opening.notes { say("note \(note)") }
            switch arguments[1] {
            case "commit": try commit(store, Int64(arguments.dropFirst(3).first ?? "") ?? 0)
            case "trial": try TrialWriter.run(store, Int64(arguments.dropFirst(3).first ?? "") ?? 0)
            case "large-trial": try TrialWriter.runLarge(store)
            case "large": try commitLarge(store)
            case "hold": hold()
            default: break
            }
            try store.close(stamp: .now())
            say("done")
        } catch {
            say("error \(error.code) \(error)")
        }
    }

    private static func commit(_ store: StoreFile, _ count: Int64) throws(StoreError) {
        var done: Int64 = 0
        while count == 0 || done < count {
            let number = store.generation.generation + 1
            // Two settings that are always equal show a partial commit; the third makes the rows move.
            let changes = ["pair/left", "pair/right", "many/n\(number % 50)"].compactMap { text in
                (try? SettingPath(text)).map { StoredChange(path: $0, old: nil, new: .integer(number)) }
            }
            let outcome = try store.commits.commit(
                CommitRequest(
                    changes: changes, id: "commit-\(number)", hash: "hash-\(number)", author: "test", stamp: .now()))
            if case .committed(let generation, _) = outcome { say("\(generation.generation)") }
            done += 1
        }
    }

    private static func commitLarge(_ store: StoreFile) throws(StoreError) {
        guard let path = try? SettingPath("large/value") else { return }
        _ = try store.commits.commit(
            CommitRequest(
                changes: [
                    StoredChange(path: path, old: nil, new: .string(String(repeating: "x", count: 900_000)))
                ], id: "large-\(store.generation.generation)", hash: "large", author: "test", stamp: .now()))
    }

    private static func hold() {
        var byte: [UInt8] = [0]
        while let got = unsafe try? byte.withUnsafeMutableBytes({
            unsafe try FileDescriptor.standardInput.read(into: $0)
        }),
            got > 0
        {}
    }

    static func say(_ line: String) {
        _ = try? FileDescriptor.standardOutput.writeAll((line + "\n").utf8)
    }
}
