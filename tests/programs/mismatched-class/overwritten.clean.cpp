// LLVM's PR33221: what is overwritten is behind the pointer to the vtable.
// RUN: options --enable mismatched-class
#include <cstring>

struct Task {
    virtual ~Task() = default;
    virtual int run() { return 1; }
    int when = 0;
};

int main(int argc, char **) {
    Task task;
    Task *same = &task;
    void *memory = &task.when;
    std::memset(memory, argc ? 0xff : 0, sizeof task.when);
    return same->when != -1;
}
