// A deleted string is written to a stream.
#include <iostream>
#include <string>

int main(int argc, char **) {
    auto *s = new std::string(20 + argc, 'x'); // ALLOC
    if (argc > 0)
        delete s; // FREE
    std::cout << *s << '\n'; // EXPECT dangling-pointer-dereference read * inside 0
}
