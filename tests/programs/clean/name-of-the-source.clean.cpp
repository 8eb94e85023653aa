// A program says where it stands in its own source, as assert does, and has code that the front end checks.
#include <cassert>
#include <cstring>

enum class Colour : unsigned char { red, green };

int number(Colour colour) {
    switch (colour) {
    case Colour::red:
        return 1;
    case Colour::green:
        return 2;
    }
}

int main(int argc, char **) {
    const char *volatile file = __FILE__;
    assert(std::strstr(file, "name-of-the-source") != nullptr);
    return number(argc > 1 ? Colour::green : Colour::red) - 1;
}
