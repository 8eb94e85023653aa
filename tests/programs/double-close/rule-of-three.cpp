// Two objects own a descriptor, because one is a copy of the other.
// RUN: options --enable double-close
#include <fcntl.h>
#include <unistd.h>

class file {
    int number;

  public:
    explicit file(const char *path) : number(open(path, O_RDONLY)) {}
    ~file() { close(number); } // EXPECT double-close in close
    bool is_open() const { return number >= 0; }
};

int main() {
    file first("/dev/null");
    file second = first;
    return !second.is_open();
}
