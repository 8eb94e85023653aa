// Standard output is closed; std::cout says that it cannot write, and another file gets the number.
// RUN: options --enable use-of-closed-descriptor --enable double-close
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <unistd.h>

int main() {
    std::cout << "text" << std::endl;
    std::fclose(stdout);
    std::cout << "more" << 5 << std::endl;
    if (std::cout.good())
        return 1;
    std::cout.clear();
    int file = open("/dev/null", O_WRONLY);
    std::ofstream stream("/dev/null");
    stream << "text" << std::flush;
    stream.close();
    stream << "text" << std::flush;
    return file != 1 || write(file, "x", 1) != 1 || close(file);
}
