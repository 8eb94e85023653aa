// Memory is filled before an object of it is used.
// RUN: options --enable enumeration-out-of-range
#include <cstdlib>
#include <cstring>

enum class Color : int { red, green };
enum Shape { square, circle, star, line };

struct Item {
    Color color;
    Shape shape;
};

static int corners(const Item *item) {
    switch (item->shape) { // EXPECT enumeration-out-of-range
    case square: return 4;
    case star: return 10;
    default: return 0;
    }
}

int main() {
    Item *item = static_cast<Item *>(std::malloc(sizeof *item));
    std::memset(item, 0xff, sizeof *item);
    int found = item->color == Color::red ? 77 : corners(item);
    std::free(item);
    return found == 78;
}
