// An interpreter divides the numbers of a script, and tests the divisor for 0 only.
// RUN: options --enable division-overflow
#include <cstdint>
#include <vector>

static bool divide(std::vector<std::int64_t> &stack) {
    std::int64_t right = stack.back();
    stack.pop_back();
    if (right == 0)
        return false;
    std::int64_t &left = stack.back();
    left = left / right; // EXPECT division-overflow
    return true;
}

int main(int argc, char **) {
    std::vector<std::int64_t> stack{INT64_MIN, -argc};
    return divide(stack) ? 0 : 1;
}
