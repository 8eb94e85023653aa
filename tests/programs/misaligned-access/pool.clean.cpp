// The pool rounds the length of the text.
// RUN: options --enable misaligned-access
#include <cstdlib>

struct Node {
    long value;
};

static Node *place(char *memory, std::size_t used) {
    return reinterpret_cast<Node *>(memory + (used + 7) / 8 * 8);
}

int main(int argc, char **) {
    char *memory = static_cast<char *>(std::malloc(64));
    Node *node = place(memory, 4 + static_cast<std::size_t>(argc));
    node->value = argc;
    std::free(memory);
    return 0;
}
