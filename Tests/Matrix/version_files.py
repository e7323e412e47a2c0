"""The cases of verbs for files."""

from __future__ import annotations

import base64
import hashlib

from version_board import Board
from version_calls import Calls
from version_cases import case, expect

AREA = "state/files/documents"
LARGE = 1_300_000


def put(board: Board, name: str, text: str) -> None:
    """Writes a file of the area of documents by calls."""
    data = text.encode()
    begin(board, f"put-{name.replace('/', '-')}", name, data, len(data))
    board.call("dev.cleat.Files.Commit", id=f"put-{name.replace('/', '-')}")


def begin(board: Board, identifier: str, name: str, data: bytes, sent: int) -> int:
    """Starts or continues an upload, and sends a part of it; returns the offset at which it has continued."""
    offset = board.call(
        "dev.cleat.Files.Begin", id=identifier, area="documents", path=name, size=len(data),
        sha256=hashlib.sha256(data).hexdigest())["offset"]
    assert isinstance(offset, int)
    if offset < sent:
        board.call("dev.cleat.Files.Write", id=identifier, offset=offset, data=base64.b64encode(data[offset:sent]).decode())
    return offset


# MARK: Files


@case("file ls")
def ls(calls: Calls) -> None:
    """Lists areas, a directory, and its subdirectories."""
    calls.board.call("dev.cleat.Files.MakeDirectory", area="documents", path=f"dir-{calls.n}")
    put(calls.board, f"dir-{calls.n}/a.txt", "text")
    calls.run("file", "ls", has=("documents", "library"), keep="documents")
    calls.run("file", "ls", f"documents/dir-{calls.n}", has=("a.txt",))
    calls.run("file", "ls", "-r", "documents", has=(f"dir-{calls.n}/a.txt",))
    calls.run("file", "ls", "documents/missing", status=65)


@case("file stat")
def stat(calls: Calls) -> None:
    """Prints the status of a file, and its SHA-256."""
    put(calls.board, f"stat-{calls.n}.txt", "text")
    calls.run(
        "file", "stat", "--sha256", f"documents/stat-{calls.n}.txt", has=(hashlib.sha256(b"text").hexdigest(),),
        keep="size|mode|sha", drop=("real_path", "readable", "writable"))


@case("file exists")
def exists(calls: Calls) -> None:
    """Checks a path that exists, and one that does not."""
    put(calls.board, f"there-{calls.n}.txt", "text")
    calls.run("file", "exists", f"documents/there-{calls.n}.txt", drop=("real_path", "readable", "writable"))
    calls.run("file", "exists", "documents/missing", status=1)


@case("file exists --writable", is_newer=True)
def exists_writable(calls: Calls) -> None:
    """Checks the access to a file."""
    put(calls.board, f"there-{calls.n}.txt", "text")
    calls.run("file", "exists", "--writable", f"documents/there-{calls.n}.txt")


@case("file get")
def get(calls: Calls) -> None:
    """Fetches a file, and a directory with its contents."""
    put(calls.board, f"get-{calls.n}.txt", f"text {calls.n}")
    calls.run("file", "get", f"documents/get-{calls.n}.txt", "fetched.txt", has=("fetched.txt",))
    expect("the fetched file", calls.board.read("work/fetched.txt"), f"text {calls.n}")
    calls.run("file", "get", "-r", "documents", f"all-{calls.n}", has=(f"get-{calls.n}.txt",))
    expect("the fetched file", calls.board.read(f"work/all-{calls.n}/get-{calls.n}.txt"), f"text {calls.n}")


@case("file put")
def put_file(calls: Calls) -> None:
    """Sends a file, standard input, and a large file whose upload was interrupted."""
    calls.board.write("work/put.txt", f"text {calls.n}")
    calls.run("file", "put", "--mode", "0600", "put.txt", f"documents/put-{calls.n}.txt", has=(f"put-{calls.n}.txt",))
    path = calls.board.disk / AREA / f"put-{calls.n}.txt"
    expect("the file", calls.board.read(f"{AREA}/put-{calls.n}.txt"), f"text {calls.n}")
    expect("its mode", path.stat().st_mode & 0o777, 0o600)
    calls.run("file", "put", "-", f"documents/stdin-{calls.n}.txt", stdin="from stdin")
    expect("the file", calls.board.read(f"{AREA}/stdin-{calls.n}.txt"), "from stdin")
    data = (str(calls.n) * LARGE).encode()
    calls.board.write("work/large", data.decode())
    begin(calls.board, f"large-{calls.n}", f"large-{calls.n}", data, 400_000)
    calls.run("file", "put", "--id", f"large-{calls.n}", "large", f"documents/large-{calls.n}")
    expect("the large file", calls.board.read(f"{AREA}/large-{calls.n}"), data.decode())


@case("file append")
def append(calls: Calls) -> None:
    """Creates a file by appending, and appends to it."""
    calls.run("file", "append", f"documents/log-{calls.n}.txt", stdin="one\n")
    calls.run("file", "append", f"documents/log-{calls.n}.txt", stdin="two\n")
    expect("the file", calls.board.read(f"{AREA}/log-{calls.n}.txt"), "one\ntwo\n")


@case("file cat")
def cat(calls: Calls) -> None:
    """Prints files."""
    put(calls.board, f"cat-{calls.n}.txt", f"text {calls.n}\n")
    calls.run("file", "cat", f"documents/cat-{calls.n}.txt", form=False, has=(f"text {calls.n}",))


@case("file rm")
def rm(calls: Calls) -> None:
    """Removes a file; a missing one is an error."""
    put(calls.board, f"rm-{calls.n}.txt", "text")
    calls.run("file", "rm", f"documents/rm-{calls.n}.txt")
    expect("the file", calls.board.read(f"{AREA}/rm-{calls.n}.txt"), None)
    calls.run("file", "rm", f"documents/rm-{calls.n}.txt", status=65)


@case("file mv")
def mv(calls: Calls) -> None:
    """Moves a file to another area."""
    put(calls.board, f"mv-{calls.n}.txt", "text")
    calls.run("file", "mv", f"documents/mv-{calls.n}.txt", f"library/moved-{calls.n}.txt", has=(f"moved-{calls.n}.txt",))
    expect("the moved file", calls.board.read(f"state/files/library/moved-{calls.n}.txt"), "text")
    expect("the former file", calls.board.read(f"{AREA}/mv-{calls.n}.txt"), None)


@case("file cp")
def cp(calls: Calls) -> None:
    """Copies a file."""
    put(calls.board, f"cp-{calls.n}.txt", "text")
    calls.run("file", "cp", f"documents/cp-{calls.n}.txt", f"documents/copy-{calls.n}.txt", has=(f"copy-{calls.n}.txt",))
    expect("the copy", calls.board.read(f"{AREA}/copy-{calls.n}.txt"), "text")
    calls.run("file", "cp", "--no-replace", f"documents/cp-{calls.n}.txt", f"documents/copy-{calls.n}.txt", status=1)


@case("file mkdir")
def mkdir(calls: Calls) -> None:
    """Makes a directory with its parents."""
    calls.run("file", "mkdir", "-p", f"documents/new-{calls.n}/deep", has=(f"new-{calls.n}/deep",))
    expect("the directory", (calls.board.disk / AREA / f"new-{calls.n}/deep").is_dir(), True)


@case("file chmod")
def chmod(calls: Calls) -> None:
    """Sets the permissions of a file."""
    put(calls.board, f"mode-{calls.n}.txt", "text")
    calls.run("file", "chmod", "0604", f"documents/mode-{calls.n}.txt")
    expect("its mode", (calls.board.disk / AREA / f"mode-{calls.n}.txt").stat().st_mode & 0o777, 0o604)


@case("file df")
def df(calls: Calls) -> None:
    """Prints the areas."""
    put(calls.board, f"df-{calls.n}.txt", "text")
    calls.run("file", "df", has=("documents", "library", "inbox"), keep="AREA", drop=("available", "limit"))


@case("file uploads")
def uploads(calls: Calls) -> None:
    """Lists an interrupted upload."""
    begin(calls.board, f"part-{calls.n}", f"part-{calls.n}", b"x" * 1000, 400)
    calls.run("file", "uploads", has=(f"part-{calls.n}", "400"), keep=f"part-{calls.n}")


@case("file abort")
def abort(calls: Calls) -> None:
    """Cancels an interrupted upload."""
    begin(calls.board, f"part-{calls.n}", f"part-{calls.n}", b"x" * 1000, 400)
    calls.run("file", "abort", f"part-{calls.n}")
    expect("the uploads", calls.board.call("dev.cleat.Files.Uploads")["uploads"], [])
