// Operators new and delete of classes: sized, aligned, of arrays, with more arguments, inherited through a
// virtual destructor, from a pool, and a constructor that throws; a destroying operator delete.
// RUN: cflags -std=c++20 -fsized-deallocation
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>

static int made = 0, dropped = 0;

struct Pool {
    static void *operator new(std::size_t size) {
        made++;
        return ::operator new(size);
    }
    static void operator delete(void *p, std::size_t size) {
        dropped += size >= sizeof(Pool);
        ::operator delete(p, size);
    }
    virtual ~Pool() = default;
    long a[3] = {1, 2, 3};
};

struct Larger : Pool {
    long b[10] = {};
};

struct alignas(256) Aligned {
    static void *operator new[](std::size_t size, std::align_val_t align) {
        made++;
        return std::aligned_alloc(std::size_t(align), (size + 255) / 256 * 256);
    }
    static void operator delete[](void *p, std::align_val_t) {
        dropped++;
        std::free(p);
    }
    ~Aligned() { c[255] = 0; }
    char c[256] = {};
};

struct Arena {
    alignas(std::max_align_t) char room[1000];
    std::size_t used = 0;
};

struct InArena {
    explicit InArena(bool fails) {
        if (fails)
            throw std::runtime_error("construction failed");
    }
    static void *operator new(std::size_t size, Arena &arena) {
        made++;
        void *p = arena.room + arena.used;
        arena.used += (size + 15) / 16 * 16;
        return p;
    }
    static void operator delete(void *, Arena &) { dropped++; } // when the constructor throws
    static void operator delete(void *) {}
    int value = 4;
};

struct Message { // its length is known only to itself
    static Message *make(std::size_t length) {
        made++;
        Message *m = new (std::malloc(sizeof(Message) + length)) Message;
        m->length = length;
        m->text()[length - 1] = 'x';
        return m;
    }
    char *text() { return reinterpret_cast<char *>(this + 1); }
    static void operator delete(Message *m, std::destroying_delete_t) {
        dropped += m->text()[m->length - 1] == 'x';
        m->~Message();
        std::free(m);
    }
    std::size_t length;
};

int main() {
    Pool *pool = new Larger;
    pool->a[2] = 5;
    delete pool;
    delete[] new Aligned[3];
    auto *arena = new Arena;
    InArena *in = new (*arena) InArena(false);
    int bad = in->value != 4;
    delete in;
    try {
        new (*arena) InArena(true);
    } catch (const std::runtime_error &) {
        bad += made != 4;
    }
    delete arena;
    delete Message::make(77);
    return bad + (made != 5 || dropped != 4);
}
