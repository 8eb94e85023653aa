// An index of a thread-local array jumps over the variables beside it.
// ASan misses this: it puts no zones around thread-local variables.
// Memcheck misses this: memory of variables has no bounds for it.
// RUN: args 40
#include <cstdio>
#include <cstdlib>
#include <vector>

static thread_local short table[8];
static thread_local std::vector<int> numbers(3);
thread_local short beside[4000];

static void put(long at) {
    table[at] = 1; // EXPECT global-buffer-overflow write 2 block 16 after 64
}

int main(int argc, char **argv) {
    long at = argc > 1 ? atol(argv[1]) : 0;
    beside[at] = 2;
    put(at);
    std::printf("%d %d %zu\n", table[0], beside[at], numbers.size());
    return 0;
}
