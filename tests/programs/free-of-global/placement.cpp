// An object that was placed in a buffer is deleted.
#include <new>

struct Node {
    long value = 1;
};

int main() {
    alignas(Node) static char room[2][sizeof(Node)];
    Node *node = new (room[1]) Node;
    int bad = node->value != 1;
    delete node; // EXPECT free-of-global block 16
    return bad;
}
