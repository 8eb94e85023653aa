// The element before the first one of an array belongs to the member before it.
// RUN: options --enable index-out-of-bounds
#include <memory>

struct history {
    int length = 0;
    int values[4] = {};
    int sum = 0;

    int last() const {
        return values[length - 1]; // EXPECT index-out-of-bounds
    }
};

int main() { return std::make_unique<history>()->last(); }
