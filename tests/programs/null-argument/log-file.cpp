// fprintf to a stream that was never opened.
#include <cstdio>

class Log {
  public:
    void say(const char *text) {
        std::fprintf(stream_, "%s\n", text); // EXPECT null-argument address 0 in fprintf
    }
    std::FILE *stream_ = nullptr;
};

int main() {
    Log log;
    log.say("hello");
    return 0;
}
