// A static object registers itself in a registry that is constructed after it.
// RUN: options --enable initialization-order
struct registry {
    int count;
    const void *entries[8];
    registry() : count(0), entries() {}
    ~registry() { count = -1; }
    void add(const void *entry) {
        entries[count++] = entry; // EXPECT initialization-order
    }
};

extern registry all;

struct plugin {
    plugin() { all.add(this); }
};

static plugin only;
registry all;

int main() { return all.count == 77; }
