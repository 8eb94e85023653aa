// Of two objects that hold each other, one does so with a weak pointer.
#include <memory>

struct Person {
    std::shared_ptr<Person> friend_of;
    std::weak_ptr<Person> known_by;
};

__attribute__((noinline)) static void meet() {
    auto a = std::make_shared<Person>();
    auto b = std::make_shared<Person>();
    a->friend_of = b;
    b->known_by = a;
}

int main() {
    meet();
    return 0;
}
