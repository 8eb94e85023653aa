// What the compiler and the C++ library say of the blocks that they delete: sizes of classes behind
// virtual destructors, of empty arrays, of containers and their temporary buffers; classes with
// operators of their own; constructors that throw; memory resources; alignments.
// RUN: cflags -std=c++17 -fsized-deallocation
#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

struct Left {
    virtual ~Left() = default;
    int a[3];
};
struct Right {
    virtual ~Right() = default;
    int b[5];
};
struct Both : Left, Right {
    int c[7];
};
struct alignas(64) Wide : Right {
    char more[100];
    ~Wide() override {}
};

struct Own {
    int value;
    static void *operator new(std::size_t size) { return ::operator new(size + 32); }
    static void operator delete(void *pointer, std::size_t) { ::operator delete(pointer); }
    static void *operator new[](std::size_t size) { return ::operator new(size); }
    static void operator delete[](void *pointer) { ::operator delete(pointer); }
    ~Own() { value = 0; }
};

struct Tail {
    unsigned count;
    char bytes[1];
    static void *operator new(std::size_t size, unsigned more) { return ::operator new(size + more); }
    static void operator delete(void *pointer) { ::operator delete(pointer); }
    static void operator delete(void *pointer, unsigned) { ::operator delete(pointer); }
};

struct Throws {
    std::string name{"a name that is too long for the object itself"};
    explicit Throws(int) { throw 1; }
    ~Throws() {}
};
struct alignas(128) ThrowsWide : Throws {
    using Throws::Throws;
};

struct Element {
    int value = 0;
    ~Element() { value = 1; }
};

static int objects(int count) {
    Left *left = new Both();
    Right *right = new Both();
    Right *wide = new Wide();
    delete left;
    delete right;
    delete wide;
    delete[] new Element[count - count];
    delete[] new int[count - count];
    delete[] new Element[count + 2];
    delete[] new Element[count + 1][3];
    delete[] new Wide[count];
    delete new Own();
    delete[] new Own[3];
    delete new (40) Tail();
    void *nothing = nullptr;
    ::operator delete(nothing, std::size_t(8));
    for (int i = 0; i < 2; i++) {
        try {
            if (i)
                delete new ThrowsWide(1);
            else
                delete[] new Throws[2]{Throws(1), Throws(2)};
        } catch (int) {
        }
    }
    alignas(Both) unsigned char place[sizeof(Both)];
    (new (place) Both)->~Both();
    return 0;
}

static int containers(int count) {
    std::map<int, std::string> names;
    std::deque<int> queue;
    std::vector<Wide> more(2);
    for (int i = 0; i < 300 * count; i++) {
        names[i] = std::string(i % 50, 'x');
        queue.push_back(i);
        queue.push_front(-i);
    }
    std::vector<std::string> words;
    for (auto &each : names)
        words.push_back(each.second);
    std::stable_sort(words.begin(), words.end());
    words.resize(1000);
    words.shrink_to_fit();
    std::vector<bool> bits(1000 * count);
    bits.resize(7);
    std::string text(100, 'y');
    text.reserve(1000);
    text.shrink_to_fit();
    return words.size() == 1000 && queue.size() == 600u * count ? 0 : 1;
}

static int library(int count) {
    auto shared = std::make_shared<Wide>();
    std::shared_ptr<Right> other = shared;
    std::weak_ptr<Right> weak = other;
    std::shared_ptr<int[]> array(new int[count]);
    std::function<int()> call = [shared, array, text = std::string(60, 'z')] { return int(text.size()); };
    std::function<int()> copy = call;
    std::pmr::monotonic_buffer_resource pool;
    std::pmr::vector<Wide> wide(3, &pool);
    std::pmr::vector<int> plain(100, std::pmr::new_delete_resource());
    std::pmr::vector<Wide> aligned(100, std::pmr::new_delete_resource());
    std::unique_ptr<void, void (*)(void *)> raw(::operator new(20), ::operator delete);
    return copy() == 60 ? 0 : 1;
}

int main(int count, char **) {
    return objects(count) + containers(count) + library(count);
}
