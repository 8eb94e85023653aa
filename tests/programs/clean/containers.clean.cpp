// std::string, vector, map, unordered_map, deque, list, set and their iterators, moved, swapped,
// sorted and erased.
#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

int main() {
    std::vector<std::string> words;
    for (int i = 0; i < 200; i++)
        words.push_back("word number " + std::to_string(i * 7919 % 1000));
    std::sort(words.begin(), words.end());
    std::map<std::string, int> order;
    std::unordered_map<std::string, std::vector<int>> index;
    for (std::size_t i = 0; i < words.size(); i++) {
        order[words[i]] = static_cast<int>(i);
        index[words[i].substr(0, 13)].push_back(static_cast<int>(i));
    }
    int total = 0;
    for (const auto &[word, where] : index)
        total += static_cast<int>(where.size());
    for (auto it = order.begin(); it != order.end();)
        it = it->second % 3 ? order.erase(it) : std::next(it);
    std::deque<int> queue;
    for (int i = 0; i < 1000; i++) {
        queue.push_back(i);
        if (i % 3 == 0)
            queue.pop_front();
    }
    std::list<int> list(queue.begin(), queue.end());
    list.sort(std::greater<>());
    list.remove_if([](int x) { return x % 2 == 0; });
    std::set<int> set(list.begin(), list.end());
    std::vector<bool> bits(1001);
    for (int x : set)
        bits[x] = true;
    std::string s = words[5];
    std::string moved = std::move(s);
    s = "short";
    std::swap(s, moved);
    s.insert(3, "inserted in the middle of a string");
    s.erase(0, 5).resize(500, '.');
    return total != 200 || set.size() != list.size() || s.size() != 500 || moved != "short" ||
           std::accumulate(queue.begin(), queue.end(), 0) <= 0 || std::count(bits.begin(), bits.end(), true) == 0;
}
