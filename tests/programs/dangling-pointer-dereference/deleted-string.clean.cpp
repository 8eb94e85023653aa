// A string object on the heap is asked for its size after delete.
// RUN: cflags -std=c++20
#include <string>

int main(int argc, char **) {
    auto *s = new std::string(20 + argc, 'x');
    int bad = s->size() != 21;
    delete s;
    return bad;
}
