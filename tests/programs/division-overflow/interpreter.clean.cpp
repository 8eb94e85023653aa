// An interpreter divides the numbers of a script, and negates instead of dividing by -1.
// RUN: options --enable division-overflow
#include <cstdint>
#include <vector>

static bool divide(std::vector<std::int64_t> &stack) {
    std::int64_t right = stack.back();
    stack.pop_back();
    if (right == 0)
        return false;
    std::int64_t &left = stack.back();
    left = right == -1 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(left)) : left / right;
    return true;
}

int main(int argc, char **) {
    std::vector<std::int64_t> stack{INT64_MIN, -argc};
    return divide(stack) ? 0 : 1;
}
