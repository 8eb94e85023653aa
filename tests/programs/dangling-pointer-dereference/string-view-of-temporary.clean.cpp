// A string_view outlives the string that it was made of.
// RUN: cflags -std=c++17
#include <string>
#include <string_view>

static std::string name(int n) { return "a name that is not short " + std::to_string(n); }

int main(int argc, char **) {
    std::string kept = name(argc);
    std::string_view view = kept;
    const char *first = view.data();
    return *first != 'a';
}
