// std::function, bind, member pointers, virtual functions, templates, variant, optional and a
// coroutine-like state machine.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
    int id = 1;
};

template <int N> struct Square : Shape {
    double area() const override { return side * side; }
    double side = N;
    char pad[N] = {};
};

static std::function<int(int)> compose(std::function<int(int)> f, std::function<int(int)> g) {
    return [f = std::move(f), g = std::move(g)](int x) { return f(g(x)); };
}

int main() {
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.push_back(std::make_unique<Square<3>>());
    shapes.push_back(std::make_unique<Square<13>>());
    double total = 0;
    for (const auto &s : shapes)
        total += (s.get()->*&Shape::area)() + s.get()->*&Shape::id;
    std::string text(100, 'a');
    auto longer = compose([text](int x) { return x + static_cast<int>(text.size()); }, [](int x) { return 2 * x; });
    for (int i = 0; i < 5; i++)
        longer = compose(longer, [i](int x) { return x + i; });
    std::variant<int, std::string, std::vector<int>> v = text;
    v = std::vector<int>{1, 2, 3};
    std::optional<std::string> o = text;
    o.reset();
    auto bound = std::bind(&std::string::substr, text, std::placeholders::_1, 5);
    return total != 9 + 169 + 2 || longer(0) != 120 || std::get<2>(v).size() != 3 || o || bound(3).size() != 5;
}
