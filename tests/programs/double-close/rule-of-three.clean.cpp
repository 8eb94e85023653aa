// Each object owns a descriptor of its own.
// RUN: options --enable double-close
#include <fcntl.h>
#include <unistd.h>

class file {
    int number;

  public:
    explicit file(const char *path) : number(open(path, O_RDONLY)) {}
    ~file() { close(number); }
    bool is_open() const { return number >= 0; }
};

int main() {
    file first("/dev/null");
    file second("/dev/null");
    return !second.is_open();
}
