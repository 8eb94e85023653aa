// The element before the first one is not read.
// RUN: options --enable index-out-of-bounds
#include <memory>

struct history {
    int length = 0;
    int values[4] = {};
    int sum = 0;

    int last() const {
        return length ? values[length - 1] : 0;
    }
};

int main() { return std::make_unique<history>()->last(); }
