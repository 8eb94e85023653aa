// A deleted string is written to a stream.
#include <iostream>
#include <string>

int main(int argc, char **) {
    auto *s = new std::string(20 + argc, 'x');
    if (argc > 9)
        delete s;
    std::cout << *s << '\n';
    delete s;
}
