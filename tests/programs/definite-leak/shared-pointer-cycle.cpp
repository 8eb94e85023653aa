// Two objects hold each other with shared pointers and are never destroyed.
// ASan misses this: a stale copy of the pointer is still on the stack
#include <memory>

struct Person {
    std::shared_ptr<Person> friend_of;
    std::weak_ptr<Person> known_by;
};

__attribute__((noinline)) static void meet() {
    auto a = std::make_shared<Person>(); // EXPECT definite-leak count 2 indirect 1
    auto b = std::make_shared<Person>();
    a->friend_of = b;
    b->friend_of = a;
}

int main() {
    meet();
    return 0;
}
