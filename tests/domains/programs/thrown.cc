// In an object that is thrown, and in what a closure has taken.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <unistd.h>

struct Failure {
    char text[40];
};

static void refuse(const char *what) {
    Failure failure{};
    std::strncpy(failure.text, what, sizeof failure.text - 1);
    throw failure;
}

int main() {
    char input[24] = "";
    if (read(0, input, sizeof input - 1) <= 0) return 1;
    std::function<int()> run;
    try {
        refuse(input);
    } catch (const Failure &failure) {
        run = [failure] {
            char command[64] = "true ";
            Failure copy = failure;
#ifdef CLEAN
            std::memset(copy.text, 'x', 8);
            copy.text[8] = 0;
#endif
            std::strcat(command, copy.text);
            return std::system(command); // expect: foreign-command
        };
    }
    return run();
}
