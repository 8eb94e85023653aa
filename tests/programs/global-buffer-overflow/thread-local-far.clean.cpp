// An index of a thread-local array stays in it.
// RUN: args 40
#include <cstdio>
#include <cstdlib>
#include <vector>

static thread_local short table[8];
static thread_local std::vector<int> numbers(3);
thread_local short beside[4000];

static void put(long at) {
    table[at % 8] = 1;
}

int main(int argc, char **argv) {
    long at = argc > 1 ? atol(argv[1]) : 0;
    beside[at] = 2;
    put(at);
    std::printf("%d %d %zu\n", table[0], beside[at], numbers.size());
    return 0;
}
