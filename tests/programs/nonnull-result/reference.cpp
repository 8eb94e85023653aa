// A function returns a reference to what a null pointer points to.
// RUN: options --enable nonnull-result
struct Node {
    int value;
    Node *next;
};

static Node last;

static Node &next(Node *node) {
    return *node->next; // EXPECT nonnull-result
}

int main(int argc, char **) {
    Node node = {argc, nullptr};
    Node *found = &next(&node);
    return found == &node;
}
