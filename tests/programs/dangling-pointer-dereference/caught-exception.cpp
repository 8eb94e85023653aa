// A pointer to a caught exception is kept beyond the end of its handler.
#include <stdexcept>

struct Error {
    int code;
};

int main(int argc, char **) {
    const Error *kept = nullptr;
    try {
        throw Error{argc}; // ALLOC
    } catch (const Error &e) {
        kept = &e;
    } // FREE
    return kept->code != 1; // EXPECT dangling-pointer-dereference read 4
}
