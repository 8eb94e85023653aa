/* Members of std::string that are not in headers. */
#include <cstdio>
#include <string>

int main() {
    std::string text, twice;
    for (int byte; (byte = getchar()) > 0;) {
        text.push_back(static_cast<char>(byte));
        twice.append(2, static_cast<char>(byte));
    }
    if (text == "ab") return 3;
    if (twice.find('b') == 4) return 4;
    if (text.compare("b") > 0) return 5;
    text.insert(0, twice);
    if (text.size() == 3) return 6;
    if (text.rfind("aaa") != std::string::npos) return 7;
    return 8;
}
