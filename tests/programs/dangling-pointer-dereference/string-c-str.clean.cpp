// The characters of a string are used while the string lives.
#include <cstring>
#include <string>

static std::string name(int i) {
    return "a name that is too long for the small string buffer: " + std::to_string(i);
}

int main() {
    std::string s = name(7);
    const char *p = s.c_str();
    return p[0] != 'a';
}
