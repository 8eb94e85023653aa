// A constructor forgets a member.
// RUN: options --enable use-of-uninitialized-value
#include <cstdio>
#include <memory>
#include <string>

struct Connection {
    std::string name;
    int port;
    bool open;

    explicit Connection(const std::string &text) : name(text), port(80) {}
};

int main(int argc, char **argv) {
    auto connection = std::make_unique<Connection>(argv[argc - 1]); // BORN
    if (connection->port == 80)
        std::puts("http");
    if (connection->open) // EXPECT use-of-uninitialized-value use branch
        std::puts("open");
}
