// A static object registers itself in a registry that its first use constructs.
// RUN: options --enable initialization-order
struct registry {
    int count;
    const void *entries[8];
    registry() : count(0), entries() {}
    ~registry() { count = -1; }
    void add(const void *entry) {
        entries[count++] = entry;
    }
};

static registry &all() {
    static registry made;
    return made;
}

struct plugin {
    plugin() { all().add(this); }
};

static plugin only;
int main() { return all().count == 77; }
