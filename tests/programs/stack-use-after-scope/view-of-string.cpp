// A view of the characters of a local string is read by a function that is called later.
#include <cstdio>
#include <string>
#include <string_view>

[[gnu::noinline]] static std::string_view name_of(int number) {
    std::string name = "no " + std::to_string(number);
    return name;
}

[[gnu::noinline]] static int sum(std::string_view text) {
    volatile int room[20] = {0};
    int all = room[4];
    for (std::size_t i = 0; i < text.size(); i++)
        all += text[i];  // EXPECT stack-use-after-scope read 1 block 32 inside 16
    return all;
}

int main(int argc, char **) { return sum(name_of(argc)) == 1; }
