// A local array is overrun after exceptions have left frames without cleaning them up.
#include <cstring>
#include <stdexcept>
#include <vector>

[[gnu::noinline]] static void fails(int depth) {
    char bytes[48];
    std::memset(bytes, depth, sizeof bytes);
    if (depth == 0)
        throw std::runtime_error(bytes);
    fails(depth - bytes[3] / depth);
}

[[gnu::noinline]] static int sum(const char *bytes, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        total += bytes[i];  // EXPECT stack-buffer-overflow read 1 block 300 after 0
    return total;
}

int main() {
    int caught = 0;
    for (int i = 1; i < 9; i++) {
        try {
            fails(i);
        } catch (const std::exception &) {
            caught++;
        }
        char bytes[300];
        std::memset(bytes, 1, sizeof bytes);
        caught += sum(bytes, i < 8 ? 300 : 301) != 300;
    }
    return caught != 8;
}
