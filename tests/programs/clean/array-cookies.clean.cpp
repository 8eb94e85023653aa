// The blocks of arrays whose number of elements new[] stores, used in every way that C++ and the ABI allow.
// RUN: cflags -std=c++17
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <malloc.h>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

static int alive;

struct Item {
    int value = 7;
    Item() { alive++; }
    virtual ~Item() { alive--; }
};

struct Derived : Item {
    long more = 8;
    ~Derived() override { more = 0; }
};

struct alignas(64) Line {
    char bytes[64];
    ~Line() { bytes[63] = 1; }
};

// Only the size that delete[] is given needs a number of elements here.
struct Sized {
    int value;
    static void operator delete[](void *block, std::size_t size) {
        std::memset(block, 0xdd, size);
        ::operator delete[](block);
    }
};

struct Scrubbed {
    int value = 1;
    ~Scrubbed() { value = 0; }
    static void operator delete[](void *block) {
        volatile char *bytes = static_cast<char *>(block);
        for (std::size_t i = 0; i < malloc_usable_size(block); i++)
            bytes[i] = 0;
        ::operator delete[](block);
    }
};

struct Throwing {
    int number;
    static inline int made;
    Throwing() : number(made++) {
        if (number == 5)
            throw std::runtime_error("the sixth");
        alive++;
    }
    ~Throwing() { alive--; }
};

// As compilers do it, by hand: the number is the program's own.
template <class T> T *counted(std::size_t count) {
    char *raw = new char[count * sizeof(T) + sizeof count];
    *reinterpret_cast<std::size_t *>(raw) = count;
    return reinterpret_cast<T *>(raw + sizeof count);
}

template <class T> std::size_t count_of(T *array) { return reinterpret_cast<std::size_t *>(array)[-1]; }

static char *with_header() {
    char *raw = new char[48];
    *reinterpret_cast<long *>(raw) = 5;
    return raw + 8;
}

template <class T> __attribute__((noinline)) void end(T *array) { delete[] array; }

template <class T> __attribute__((noinline)) T *make(std::size_t count) { return new T[count]; }

__attribute__((noinline)) static long total(const std::string *words, int count) {
    long sum = 0;
    for (int i = count - 1; i >= 0; i--)
        sum += static_cast<long>(words[i].size());
    return sum;
}

static void construct(void *item) { new (item) Item; }
static void destroy(void *item) { static_cast<Item *>(item)->~Item(); }

int main(int argc, char **) {
    for (std::size_t count : {0, 1, 3, 100, 40000}) {
        end(make<Item>(count));
        end(make<Derived>(count));
        end(make<Line>(count));
        end(make<Sized>(count + 1));
        end(make<Scrubbed>(count));
        delete[] new (std::nothrow) Line[count];
        ::delete[] make<Scrubbed>(count);
        delete[] new Derived[count];
        delete[] new Line[2];
        char *plain = new char[count * sizeof(Item) + 8]; // may be where an array was
        std::memset(plain, 1, count * sizeof(Item) + 8);
        delete[] plain;
    }
    std::string *words = make<std::string>(argc + 49);
    for (int i = 0; i < argc + 49; i++)
        words[i].assign(static_cast<std::size_t>(i), 'x');
    std::printf("%ld\n", total(words, argc + 49));
    delete[] words;
    try {
        new Throwing[static_cast<std::size_t>(argc + 9)];
    } catch (const std::runtime_error &error) {
        std::puts(error.what());
    }
    std::unique_ptr<Item[]> owned(new Item[1]);
    std::shared_ptr<std::vector<int>[]> shared(new std::vector<int>[4]);
    shared[3].push_back(1);
    auto grid = new Item[argc + 1][3];
    grid[1][2].value = 4;
    delete[] grid;
    alignas(Item) char buffer[4 * sizeof(Item) + 64];
    Item *placed = new (buffer + 16) Item[4];
    for (int i = 0; i < 4; i++)
        placed[i].~Item();
    void *vector = abi::__cxa_vec_new(3, sizeof(Item), 8, construct, destroy);
    std::printf("%zu\n", count_of(static_cast<Item *>(vector)));
    abi::__cxa_vec_delete(vector, sizeof(Item), 8, destroy);
    double *numbers = counted<double>(static_cast<std::size_t>(argc + 9));
    char *headed = with_header();
    std::printf("%zu %zu\n", count_of(numbers), count_of(headed));
    delete[] (headed - 8);
    delete[] (reinterpret_cast<char *>(numbers) - sizeof(std::size_t));
    void *copy = std::malloc(64), *block = ::operator new[](64);
    std::memset(block, 3, 64);
    std::memcpy(copy, block, 64);
    ::operator delete[](block);
    std::free(copy);
    owned.reset();
    return alive;
}
