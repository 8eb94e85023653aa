// Initialisers that use what is constant, what their own file has initialised, zeros, and inline variables.
// RUN: options --enable initialization-order
#include <string>
#include <vector>

static int counter;
static int next() { return ++counter; }

extern const int *const address;
int first = next();
int second = first + next();
const int *const address = &second;
static int self = self + next();

template <class T> struct of {
    static T value;
};
template <class T> T of<T>::value = static_cast<T>(next());

inline std::vector<int> numbers = {next(), next()};
thread_local int own = next();
static std::string name = std::string("name ") + std::to_string(numbers.size());
static std::string names[2] = {name, name + "s"};
static std::vector<std::string> all = {names[0], names[1]};

struct early {
    early() { all.push_back("early"); }
    ~early() { all.clear(); }
};
static early object;

int main() {
    bool good = second > first && *address == second && self != 0 && own != 0;
    return !(good && of<int>::value != 0 && all.size() == 3 && numbers.size() == 2);
}
