// Two threads go through the elements of a vector, from its ends, and write to the same member.
// RUN: options --enable races
#include <atomic>
#include <thread>
#include <vector>

struct Pair {
    long left = 0, right = 0;
};

static std::atomic<bool> is_through;

static void upward(std::vector<Pair> &pairs) {
    for (auto &pair : pairs) pair.left = 1;
    is_through.store(true, std::memory_order_relaxed);
}

static void downward(std::vector<Pair> &pairs) {
    while (!is_through.load(std::memory_order_relaxed)) std::this_thread::yield();
    for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) pair->left = 2; // EXPECT data-race
}

int main() {
    std::vector<Pair> pairs(100);
    std::thread first([&] { upward(pairs); });
    std::thread second([&] { downward(pairs); });
    first.join();
    second.join();
    return pairs[0].left == 0 || pairs[0].right != 0;
}
