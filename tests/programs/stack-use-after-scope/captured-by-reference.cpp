// A function object is called behind the block of the variable that it has captured by reference.
#include <functional>

[[gnu::noinline]] static int call(const std::function<int(int)> &function) { return function(1); }

int main(int argc, char **) {
    std::function<int(int)> add;
    for (int i = 0; i < 3; i++) {
        int sum = i + argc;
        add = [&sum](int more) {
            return sum += more;  // EXPECT stack-use-after-scope read 4 block 4 inside 0
        };
        call(add);
    }
    return call(add) != 5;
}
