import ArgumentParser

/// `cleat file`.
struct FileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file",
        abstract: "Look at, send, fetch and change the files of the board.",
        discussion: """
            The board keeps files in four areas: documents, inbox, library and temporary. A place on the board is \
            written AREA/PATH.

            Examples:
              cleat file put ca.pem documents/certs/
              cleat file get -r documents/certs
              cleat file ls documents
              cleat file df
            """,
        subcommands: [
            FileListCommand.self, FileStatusCommand.self, FileGetCommand.self, FilePutCommand.self,
            FileCatCommand.self, FileRemoveCommand.self, FileMoveCommand.self, FileCopyCommand.self,
            FileMakeDirectoryCommand.self, FileSpaceCommand.self, FileUploadsCommand.self, FileAbortCommand.self,
        ])
}
