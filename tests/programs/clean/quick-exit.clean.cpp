// The exit by quick_exit: static destructors do not run, handlers of at_quick_exit do; blocks stay reachable.
// RUN: status 3
#include <cstdlib>
#include <memory>
#include <string>

static std::unique_ptr<std::string> kept = std::make_unique<std::string>(100, 'k');

static void last() { std::_Exit(kept->size() == 100 ? 3 : 1); }

int main() {
    std::at_quick_exit(last);
    auto local = std::make_unique<int>(5);
    std::quick_exit(*local);
}
