// The characters of a temporary string are used after the end of the statement that made it.
#include <cstring>
#include <string>

static std::string name(int i) {
    return "a name that is too long for the small string buffer: " + std::to_string(i); // ALLOC
}

int main() {
    const char *p = name(7).c_str(); // FREE
    return p[0] != 'a'; // EXPECT dangling-pointer-dereference read 1 inside 0
}
