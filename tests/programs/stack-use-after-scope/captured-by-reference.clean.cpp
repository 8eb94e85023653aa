// A function object is called behind the block of the variable that it has captured by value.
#include <functional>

[[gnu::noinline]] static int call(const std::function<int(int)> &function) { return function(1); }

int main(int argc, char **) {
    std::function<int(int)> add;
    for (int i = 0; i < 3; i++) {
        int sum = i + argc;
        add = [sum](int more) mutable {
            return sum += more;
        };
        call(add);
    }
    return call(add) != 5;
}
