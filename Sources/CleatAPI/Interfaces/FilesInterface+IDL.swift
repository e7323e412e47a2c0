extension FilesInterface {
    /// The description of the interface, in the Varlink IDL.
    package static let idl = """
        # The files of one board, in four areas: documents, inbox, library, temporary. A path is relative to its area, with 1
        # to 16 names between slashes; the empty path is the area itself. Sizes are in bytes, times are RFC 3339 in UTC.
        interface dev.cleat.Files

        # An area: what its files take of its quota, and what the file system below it has left. Where the area could not be
        # opened, the problem says why and the numbers are 0.
        type Area (
          name: string,
          bytes: int,
          files: int,
          quota_bytes: int,
          quota_files: int,
          free_bytes: int,
          uploads: int,
          problem: ?string
        )

        # What stands at a path. The mode is octal: "0644".
        type Entry (
          path: string,
          type: (file, directory, link, other),
          size: int,
          mode: string,
          uid: int,
          gid: int,
          links: int,
          modified: string
        )

        # A file on its way: how much of it is there, and for how many milliseconds it is kept without a further Write.
        type Upload (
          id: string,
          user: int,
          area: string,
          path: string,
          size: int,
          received: int,
          expires_in: int
        )

        # The areas, in order of their names.
        method Areas() -> (areas: []Area)

        # What stands in a directory, in order of the paths' bytes. With `more`, page after page; without, one page of at most
        # limit entries (256 where nothing is said) and where it goes on. Skipped counts names that no path can hold.
        method List(area: string, path: ?string, recursive: ?bool, after: ?string, limit: ?int) -> (
          entries: []Entry,
          skipped: ?int,
          next: ?string
        )

        # What stands at a path. The token names this content: it is another one once the file has changed.
        method Stat(area: string, path: string) -> (entry: Entry, token: string)

        # A piece of a file, in base64: at most 524,288 bytes. With the token of an earlier reply, a file that has changed
        # since is refused. The file ends where offset and the length of the data reach the size.
        method Read(area: string, path: string, offset: int, length: ?int, token: ?string) -> (
          data: string,
          size: int,
          token: string
        )

        # The SHA-256 of a whole file, in hexadecimal digits.
        method Hash(area: string, path: string, token: ?string) -> (sha256: string, size: int, token: string)

        # Begins a file, or goes on with one that was begun under the same id for the same content: write from offset on. The
        # id is 1 to 64 bytes of A-Z a-z 0-9 . _ : -. Until Commit, nobody sees the file, and one that stands at its path
        # stays.
        method Begin(id: string, area: string, path: string, size: int, sha256: string) -> (offset: int)

        # Adds a piece to a file that was begun, in base64: at most 524,288 bytes, from the offset that the last reply named.
        method Write(id: string, offset: int, data: string) -> (offset: int)

        # Puts a file in its place once all of it is there and its SHA-256 is the one that was promised. When this is answered,
        # the file is on the disk. The mode is octal; where nothing is said, it is that of the file that is replaced, or "0640".
        # Where the answer was lost, it may be asked for again, for a day, also of a service that was started again, as long as
        # the file is what was sent.
        method Commit(id: string, mode: ?string) -> (entry: Entry)

        # Gives up a file that was begun: the caller's own, or with user that of another one, which only root and the service's
        # own user may.
        method Abort(id: string, user: ?int) -> ()

        # The files that were begun and not yet committed, in order of their ids.
        method Uploads() -> (uploads: []Upload)

        # Removes a file, or a directory; one that is not empty only with recursive.
        method Remove(area: string, path: string, recursive: ?bool) -> ()

        # Moves a file or directory, to another area too. Something that stands at the new path is only replaced with replace.
        method Move(area: string, path: string, to_area: string, to_path: string, replace: ?bool) -> (entry: Entry)

        # Copies a file, to another area too. A file that stands at the new path is only replaced with replace.
        method Copy(area: string, path: string, to_area: string, to_path: string, replace: ?bool) -> (entry: Entry)

        # Makes a directory; with parents also those above it, and one that is there already is no error.
        method MakeDirectory(area: string, path: string, parents: ?bool) -> (entry: Entry)

        # There is no area of this name.
        error UnknownArea (area: string, message: string)

        # The area could not be opened when the service started.
        error AreaUnavailable (area: string, message: string)

        # The text is no path, or leads out of its area.
        error InvalidPath (area: string, path: string, message: string)

        # Nothing stands at the path.
        error NotFound (area: string, path: string, message: string)

        # What stands at the path does not let this be done; the reason is one of exists, is_directory, not_directory,
        # not_empty, special_file, hard_link, too_large, busy, denied, read_only, and may be another one in time to come.
        error Refused (area: string, path: string, reason: string, message: string)

        # The area's quota does not let this be done; the resource is bytes or files. Of the limit so many are used, those that
        # are kept for files on their way included, and so many more were asked for.
        error QuotaExceeded (
          area: string,
          path: string,
          resource: string,
          used: int,
          limit: int,
          asked: int,
          message: string
        )

        # The file system has no room left.
        error NoSpace (area: string, path: string, message: string)

        # The file is another one than that of the token.
        error Changed (area: string, path: string, message: string)

        # No file was begun under this id, or it has expired.
        error UnknownUpload (id: string, message: string)

        # Another file was begun under this id.
        error UploadConflict (id: string, area: string, path: string, message: string)

        # As many files are on their way as there may be.
        error TooManyUploads (limit: int, message: string)

        # The file does not go on at this offset, but at the one that is named.
        error WrongOffset (id: string, offset: int, message: string)

        # More bytes than the limit in one call, or than were promised for the file.
        error TooLong (limit: int, message: string)

        # The content is not the one that was promised; it is dropped.
        error HashMismatch (id: string, expected: string, found: string, message: string)

        # The file system failed.
        error Failed (area: string, path: string, reason: string, message: string)

        """
}
