// wmemcpy of the tail of a wide string over its middle, in a std::wstring.
#include <cwchar>
#include <string>

int main() {
    std::wstring text(40, L'x');
    wchar_t *p = &text[0];
    std::wmemcpy(p + 2, p + 6, text.size() - 6); // EXPECT overlapping-copy in wmemcpy
    return text[0] != L'x';
}
