// A pool hands out objects behind texts of any length.
// RUN: options --enable misaligned-access
#include <cstdlib>

struct Node {
    long value;
};

static Node *place(char *memory, std::size_t used) {
    return reinterpret_cast<Node *>(memory + used);
}

int main(int argc, char **) {
    char *memory = static_cast<char *>(std::malloc(64));
    Node *node = place(memory, 4 + static_cast<std::size_t>(argc));
    node->value = argc; // EXPECT misaligned-access
    std::free(memory);
    return 0;
}
