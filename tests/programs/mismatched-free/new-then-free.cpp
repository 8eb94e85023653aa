// An object from new is freed with free: its destructor does not run.
#include <cstdlib>

struct Node {
    Node *next;
    int value;
};

int main() {
    Node *node = new Node{nullptr, 3}; // ALLOC
    int value = node->value;
    std::free(node); // EXPECT mismatched-free block 16 inside 0
    return value != 3;
}
