// wmemmove of the tail of a wide string over its middle, in a std::wstring.
#include <cwchar>
#include <string>

int main() {
    std::wstring text(40, L'x');
    wchar_t *p = &text[0];
    std::wmemmove(p + 2, p + 6, text.size() - 6);
    return text[0] != L'x';
}
