// The groups of a regular expression's match point into a string that has ended.
// RUN: slow compiling <regex> takes half a minute
#include <memory>
#include <regex>
#include <string>

int main(int argc, char **) {
    std::smatch match;
    auto text = std::make_unique<std::string>(30 + argc, 'a'); // ALLOC
    if (!std::regex_match(*text, match, std::regex("(a+)")))
        return 1;
    text.reset();
    return *match[1].first != 'a'; // EXPECT dangling-pointer-dereference read 1 inside 0
}
