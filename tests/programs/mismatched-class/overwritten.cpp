// LLVM's PR33221: the pointer to the vtable was overwritten, so the object is of no class.
// RUN: options --enable mismatched-class
#include <cstring>

struct Task {
    virtual ~Task() = default;
    virtual int run() { return 1; }
    int when = 0;
};

int main(int argc, char **) {
    Task task;
    void *memory = &task;
    std::memset(memory, argc ? 0xff : 0, sizeof task);
    return static_cast<Task *>(memory)->when != -1; // EXPECT mismatched-class
}
