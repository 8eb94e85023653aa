// The count is compared with the largest that fits.
// RUN: options --enable unsigned-multiplication-overflow
#include <cstddef>
#include <cstdint>
#include <cstdlib>

static double *rows(std::size_t count) {
    if (count == 0 || count > SIZE_MAX / sizeof(double))
        return nullptr;
    return static_cast<double *>(std::malloc(count * sizeof(double)));
}

int main(int argc, char **) {
    double *found = rows(SIZE_MAX / 8 + 1 + static_cast<std::size_t>(argc));
    std::free(found);
    return 0;
}
