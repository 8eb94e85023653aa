// A name is set to itself: strcpy with one pointer twice.
#include <cstring>

struct Entry {
    char name[24] = "default";
    void rename(const char *to) {
        std::strcpy(name, to); // EXPECT overlapping-copy block 24 inside 0 in strcpy
    }
};

int main() {
    Entry *entry = new Entry; // ALLOC
    entry->rename(entry->name);
    int wrong = std::strcmp(entry->name, "default");
    delete entry;
    return wrong;
}
