// A count from a file is multiplied by the size of an element.
// RUN: options --enable unsigned-multiplication-overflow
#include <cstddef>
#include <cstdint>
#include <cstdlib>

static double *rows(std::size_t count) {
    if (count == 0)
        return nullptr;
    return static_cast<double *>(std::malloc(count * sizeof(double))); // EXPECT unsigned-multiplication-overflow
}

int main(int argc, char **) {
    double *found = rows(SIZE_MAX / 8 + 1 + static_cast<std::size_t>(argc));
    std::free(found);
    return 0;
}
