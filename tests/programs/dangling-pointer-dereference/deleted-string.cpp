// A string object on the heap is asked for its size after delete.
// RUN: cflags -std=c++20
#include <string>

int main(int argc, char **) {
    auto *s = new std::string(20 + argc, 'x'); // ALLOC
    delete s; // FREE
    return s->size() != 21; // EXPECT dangling-pointer-dereference read 8 block 32 inside 8
}
