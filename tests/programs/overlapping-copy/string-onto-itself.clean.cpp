// A name is set to itself, which is looked for.
#include <cstring>

struct Entry {
    char name[24] = "default";
    void rename(const char *to) {
        if (to != name) std::strcpy(name, to);
    }
};

int main() {
    Entry *entry = new Entry;
    entry->rename(entry->name);
    Entry other;
    other.rename(entry->name);
    int wrong = std::strcmp(other.name, "default");
    delete entry;
    return wrong;
}
