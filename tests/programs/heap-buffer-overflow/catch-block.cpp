// A catch block copies the text of an exception to a block that is too short.
#include <cstdlib>
#include <cstring>
#include <stdexcept>

static void fail(int depth) {
    if (depth == 0)
        throw std::runtime_error("something went wrong");
    fail(depth - 1);
}

int main() {
    char *text = static_cast<char *>(std::malloc(10)); // ALLOC
    try {
        fail(5);
    } catch (const std::exception &e) {
        std::strcpy(text, e.what()); // EXPECT heap-buffer-overflow write * block 10 after 0 in strcpy
    }
    std::free(text);
    return 0;
}
