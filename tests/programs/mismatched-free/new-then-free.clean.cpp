// An object from new is deleted.
#include <cstdlib>

struct Node {
    Node *next;
    int value;
};

int main() {
    Node *node = new Node{nullptr, 3};
    int value = node->value;
    delete node;
    return value != 3;
}
