// A loop over a map steps on from the element that it has just erased: the step is taken in libstdc++.
#include <map>

int main() {
    std::map<int, int> ages;
    for (int i = 0; i < 10; i++)
        ages[i] = i * 7;
    for (auto it = ages.begin(); it != ages.end();)
        if (it->second == 21)
            it = ages.erase(it);
        else
            ++it;
    return ages.size() != 9;
}
