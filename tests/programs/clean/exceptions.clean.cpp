// Exceptions through frames with destructors, rethrown, nested, and from constructors; catch by
// value and by reference.
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static int alive = 0;

struct Guard {
    explicit Guard(int n) : p(new int[n]) { alive++; }
    ~Guard() {
        alive--;
        delete[] p;
    }
    int *p;
};

struct Fails {
    Fails() : guard(5) { throw std::string("constructor"); }
    Guard guard;
};

static int dive(int depth) {
    Guard g(depth + 1);
    g.p[depth] = depth;
    if (depth == 30)
        throw std::runtime_error("bottom, with a text that is long enough for the heap");
    return dive(depth + 1) + g.p[depth];
}

static int rethrow() {
    try {
        dive(0);
    } catch (const std::exception &e) {
        std::throw_with_nested(std::logic_error(std::string("outer: ") + e.what()));
    }
    return 0;
}

int main() {
    int caught = 0;
    for (int i = 0; i < 10; i++) {
        try {
            rethrow();
        } catch (const std::logic_error &e) {
            try {
                std::rethrow_if_nested(e);
            } catch (const std::runtime_error &inner) {
                caught += std::string(inner.what()).size() > 10;
            }
        }
        try {
            Fails f;
        } catch (std::string s) {
            caught += s == "constructor";
        }
        try {
            auto p = std::make_unique<Fails[]>(3);
        } catch (...) {
            caught++;
        }
    }
    return caught != 30 || alive != 0;
}
