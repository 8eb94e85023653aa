// A table of flags is filled with all ones.
// RUN: options --enable invalid-bool
#include <cstdlib>
#include <cstring>

struct Flags {
    bool *seen;
    int size;
};

static int unseen(const Flags &flags) {
    int count = 0;
    for (int i = 0; i < flags.size; i++)
        count += !flags.seen[i]; // EXPECT invalid-bool
    return count;
}

int main(int argc, char **) {
    Flags flags = {static_cast<bool *>(std::malloc(8)), 8};
    if (flags.seen == nullptr)
        return 1;
    std::memset(flags.seen, argc ? 0xff : 0, 8);
    int count = unseen(flags);
    std::free(flags.seen);
    return count == 77;
}
