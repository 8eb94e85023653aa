// Memory for an object is used before the object is constructed.
// RUN: options --enable mismatched-class
#include <cstdlib>
#include <new>

struct Task {
    virtual ~Task() = default;
    virtual int run() { return 1; }
    void arm(int value) { when = value; }
    int when = 0;
};

int main(int argc, char **) {
    void *memory = std::calloc(1, sizeof(Task));
    Task *task = static_cast<Task *>(memory);
    task->arm(argc); // EXPECT mismatched-class
    int when = task->when;
    std::free(memory);
    return when == 77;
}
