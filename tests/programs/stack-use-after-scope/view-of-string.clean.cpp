// A view of the characters of a string that lives is read by a function.
#include <cstdio>
#include <string>
#include <string_view>

[[gnu::noinline]] static std::string name_of(int number) {
    std::string name = "no " + std::to_string(number);
    return name;
}

[[gnu::noinline]] static int sum(std::string_view text) {
    volatile int room[20] = {0};
    int all = room[4];
    for (std::size_t i = 0; i < text.size(); i++)
        all += text[i];
    return all;
}

int main(int argc, char **) { return sum(name_of(argc)) == 1; }
