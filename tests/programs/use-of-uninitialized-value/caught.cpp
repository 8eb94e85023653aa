// What a function that throws has left undefined is used behind the handler.
// RUN: options --enable use-of-uninitialized-value
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct Reading {
    int sensor;
    int value;
};

__attribute__((noinline)) static void measure(Reading &reading, bool fails) {
    reading.sensor = 7;
    if (fails)
        throw std::runtime_error("no answer");
    reading.value = 1;
}

__attribute__((noinline)) static int total(std::vector<std::string> &log, bool fails) {
    Reading *reading = static_cast<Reading *>(::operator new(sizeof(Reading))); // BORN
    int sum = 0;
    try {
        std::string name = "sensor " + std::to_string(fails);
        measure(*reading, fails);
        log.push_back(name);
    } catch (const std::exception &error) {
        sum = reading->value;
        log.push_back(error.what());
    }
    sum += reading->sensor;
    ::operator delete(reading);
    return sum;
}

int main(int argc, char **) {
    std::vector<std::string> log;
    int sum = total(log, false);
    sum += total(log, argc > 0);
    for (const std::string &line : log)
        std::puts(line.c_str());
    if (sum == 14) // EXPECT use-of-uninitialized-value use branch
        std::puts("fourteen");
}
