// A function returns a lambda that has captured its variable by reference.
#include <functional>

[[gnu::noinline]] static std::function<int(int)> adder(int start) {
    int total = start;
    int *volatile at = &total;
    int &same = *at;
    return [&same](int more) {
        return same += more;  // EXPECT stack-use-after-scope read 4 block 4 inside 0
    };
}

[[gnu::noinline]] static int apply(const std::function<int(int)> &function) {
    volatile int room[10] = {};
    return function(2 + room[3]);
}

int main(int argc, char **) { return apply(adder(argc)) == 1; }
