// A connection is passed by reference.
// RUN: options --enable use-of-closed-descriptor
#include <sys/socket.h>
#include <unistd.h>

struct connection {
    int file;
    explicit connection(int from) : file(from) {}
    ~connection() { close(file); }
};

static bool wants_answer(const connection &to) { return to.file >= 0; }

int main() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 2;
    connection one(ends[0]);
    connection other(ends[1]);
    if (wants_answer(one))
        return send(one.file, "x", 1, 0) == 77;
    return 0;
}
