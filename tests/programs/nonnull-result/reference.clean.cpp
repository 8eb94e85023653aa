// The function returns a reference to an object.
// RUN: options --enable nonnull-result
struct Node {
    int value;
    Node *next;
};

static Node last;

static Node &next(Node *node) {
    return node->next ? *node->next : last;
}

int main(int argc, char **) {
    Node node = {argc, nullptr};
    Node *found = &next(&node);
    return found == &node;
}
