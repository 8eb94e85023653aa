// std::pmr: monotonic and pooled resources over a buffer and over the heap, containers in them, a resource of
// the program's own, the default resource replaced.
#include <cstddef>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <vector>

struct Counting : std::pmr::memory_resource {
    void *do_allocate(std::size_t size, std::size_t align) override {
        live += size;
        return std::pmr::new_delete_resource()->allocate(size, align);
    }
    void do_deallocate(void *p, std::size_t size, std::size_t align) override {
        live -= size;
        std::pmr::new_delete_resource()->deallocate(p, size, align);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override { return this == &other; }
    std::size_t live = 0;
};

template <class Resource> static std::size_t fill(Resource &resource) {
    std::pmr::map<int, std::pmr::string> map(&resource);
    std::pmr::list<std::pmr::vector<int>> list(&resource);
    for (int i = 0; i < 300; i++) {
        map.emplace(i * 37 % 300, std::pmr::string(i % 90, 'x'));
        list.emplace_back(i % 50, i);
        if (i % 3 == 0)
            list.pop_front();
    }
    map.erase(map.begin(), map.find(150));
    return map.size() + list.size();
}

int main() {
    Counting counting;
    std::size_t total = 0;
    {
        std::byte buffer[1000];
        std::pmr::monotonic_buffer_resource monotonic(buffer, sizeof buffer, &counting);
        total += fill(monotonic);
        std::pmr::unsynchronized_pool_resource pool({}, &counting);
        total += fill(pool);
        std::pmr::synchronized_pool_resource shared({16, 512}, &counting);
        total += fill(shared);
        total += fill(counting);
        void *aligned = counting.allocate(100, 1024);
        counting.deallocate(aligned, 100, 1024);
    }
    std::pmr::set_default_resource(&counting);
    {
        std::pmr::vector<std::pmr::string> strings(20, std::pmr::string(100, 'y'));
        total += strings.size();
    }
    std::pmr::set_default_resource(nullptr);
    return total != 4 * 350 + 20 || counting.live != 0;
}
