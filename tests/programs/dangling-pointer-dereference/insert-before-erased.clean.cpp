// A list inserts before an element that is erased: the node is linked in libstdc++.
#include <list>

int main() {
    std::list<int> jobs{1, 2, 3};
    auto urgent = jobs.begin();
    auto done = urgent++;
    jobs.erase(done);
    jobs.insert(urgent, 0);
    return jobs.size() == 9;
}
