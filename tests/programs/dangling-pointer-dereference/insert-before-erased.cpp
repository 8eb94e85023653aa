// A list inserts before an element that is erased: the node is linked in libstdc++.
// ASan misses this: it does not see what the C++ library reads and writes
#include <list>

int main() {
    std::list<int> jobs{1, 2, 3}; // ALLOC
    auto urgent = jobs.begin();
    auto done = urgent++;
    jobs.erase(done); // FREE
    jobs.insert(done, 0); // EXPECT dangling-pointer-dereference read 16 block 24 inside 0 in std::list::insert
    return jobs.size() == 9;
}
