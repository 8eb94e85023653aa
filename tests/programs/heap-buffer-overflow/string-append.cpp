// A string appends more characters than the source has.
// RUN: cflags -std=c++20
#include <cstring>
#include <string>

int main() {
    char *from = new char[40]; // ALLOC
    std::memset(from, 'a', 40);
    std::string to("begin: ");
    to.append(from, 44); // EXPECT heap-buffer-overflow read 44 block 40 after 0
    delete[] from;
    return to.size() < 40;
}
