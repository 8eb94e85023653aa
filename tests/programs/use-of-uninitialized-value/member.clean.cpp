// A constructor sets all members.
// RUN: options --enable use-of-uninitialized-value
#include <cstdio>
#include <memory>
#include <string>

struct Connection {
    std::string name;
    int port;
    bool open;

    explicit Connection(const std::string &text) : name(text), port(80), open(false) {}
};

int main(int argc, char **argv) {
    auto connection = std::make_unique<Connection>(argv[argc - 1]);
    if (connection->port == 80)
        std::puts("http");
    if (connection->open)
        std::puts("open");
}
