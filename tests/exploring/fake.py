"""A fork server in Python, for tests of its client: runs the program `branches` of test_search."""

import mmap
import os
import socket
import struct
import sys

from tests.exploring.model import as_file, run
from tests.exploring.test_search import branches

from whence.abi import symbolic


def take(connection, size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


def objects_in(body, count):
    objects, at = {}, 0
    for _ in range(count):
        head = symbolic.OBJECT_HEAD.unpack(body, at)
        at += symbolic.OBJECT_HEAD.size
        name = body[at : at + head["name"]].decode()
        at += head["name"]
        objects[name] = body[at : at + head["size"]]
        at += head["size"]
    assert at == len(body)
    return objects


LATE = {"late": 1, "asleep": 2}


def objects_value(inputs):
    """The byte that `branches` branches on."""
    return (inputs.get("memory:x") or b"\0")[0]


def answer(connection, number, status=0, late=0):
    fields = (number, os.getpid(), status, late, 0)
    connection.sendall(struct.pack(symbolic.ANSWER.format, *fields))


def main():
    mode = sys.argv[1]
    if mode == "ends":
        sys.exit(3)
    connection = socket.socket(fileno=int(os.environ["FD"]))
    answer(connection, symbolic.HELLO)
    if mode == "leaves":
        return
    kept = []
    for round_ in range(1000):
        head, files, _, _ = socket.recv_fds(connection, symbolic.REQUEST.size, 4)
        if not head:
            return
        request = symbolic.REQUEST.unpack(head + take(connection, symbolic.REQUEST.size - len(head)))
        inputs = objects_in(take(connection, request["bytes"]), request["objects"])
        if mode == "dies" and round_ == 2:
            os._exit(5)
        if mode == f"dies of {objects_value(inputs)}":
            os._exit(5)
        path, _, status = run(branches, inputs)
        kept = files or kept
        with mmap.mmap(kept[0], symbolic.TRACE_SIZE) as trace:
            data = as_file(path.words)
            trace[: len(data)] = data
        answer(connection, request["number"], status << 8, late=LATE.get(mode, 0) if round_ == 1 else 0)


if __name__ == "__main__":
    main()
