// In objects of the C++ library.
#include <cstdlib>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

static std::string quoted(const std::string &text) { return "'" + text + "'"; }

int main() {
    std::vector<char> input(48);
    ssize_t size = read(0, input.data(), input.size());
    if (size <= 0) return 1;
    std::string text(input.data(), static_cast<std::size_t>(size));
#ifdef CLEAN
    text.assign(static_cast<std::size_t>(size), 'x');
#endif
    std::string command = "true ";
    for (char c : quoted(text))
        if (c != '\n') command += c;
    auto owner = std::make_unique<std::string>(std::move(command));
    return std::system(owner->c_str()); // expect: foreign-command
}
