// std::regex: matching, searching, iterators, replacement, a pattern that is not valid.
// RUN: slow compiling <regex> takes half a minute
#include <regex>
#include <string>

int main() {
    std::string text;
    for (int i = 0; i < 40; i++)
        text += "key" + std::to_string(i) + " = 'value " + std::to_string(i * i) + "';  ";
    std::regex pair("(\\w+)\\s*=\\s*'([^']*)'");
    int count = 0;
    std::size_t length = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), pair), end; it != end; ++it) {
        count++;
        length += (*it)[2].str().size();
    }
    std::smatch match;
    bool found = std::regex_search(text, match, std::regex("(key39).*(15[0-9]+)"));
    std::string changed = std::regex_replace(text, std::regex("value (\\d)"), "<$1>", std::regex_constants::match_default);
    bool icase = std::regex_match("ABBA", std::regex("a(b)\\1a", std::regex::icase));
    bool refused = false;
    try {
        std::regex broken("(unclosed[");
    } catch (const std::regex_error &) {
        refused = true;
    }
    return count != 40 || length < 300 || !found || match[2] != "1521" || changed.find("<1>") == std::string::npos || !icase ||
           !refused;
}
