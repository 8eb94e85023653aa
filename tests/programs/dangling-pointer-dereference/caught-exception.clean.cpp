// A pointer to a caught exception is kept beyond the end of its handler.
#include <stdexcept>

struct Error {
    int code;
};

int main(int argc, char **) {
    Error kept{};
    try {
        throw Error{argc};
    } catch (const Error &e) {
        kept = e;
    }
    return kept.code != 1;
}
