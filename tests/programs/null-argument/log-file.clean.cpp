// fprintf to a stream that is open.
#include <cstdio>

class Log {
  public:
    void say(const char *text) {
        std::fprintf(stream_, "%s\n", text);
    }
    std::FILE *stream_ = stdout;
};

int main() {
    Log log;
    log.say("hello");
    return 0;
}
