// The index of the last element is computed for an empty vector.
// RUN: options --enable unsigned-subtraction-overflow
#include <vector>

static int descents(const std::vector<int> &values) {
    int count = 0;
    for (unsigned i = 0; i < static_cast<unsigned>(values.size()) - 1; i++) { // EXPECT unsigned-subtraction-overflow
        if (i + 1 >= values.size())
            break;
        count += values[i] > values[i + 1];
    }
    return count;
}

int main() { return descents({3, 1}) + descents({}) == 7; }
