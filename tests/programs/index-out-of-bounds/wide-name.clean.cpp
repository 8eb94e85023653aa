// The length of a copy counts characters; one that ends in the last element, and one from the middle on.
// RUN: options --enable index-out-of-bounds
#include <cwchar>
#include <memory>

struct label {
    wchar_t before[4] = {};
    wchar_t text[8] = {};
    long width = 0;

    void set(const wchar_t *from, std::size_t size) {
        std::wmemcpy(text, from, size);
        std::wmemcpy(&text[4], from, size - 4);
        width = static_cast<long>(size);
    }
};

int main() {
    static const wchar_t text[16] = L"label";
    auto made = std::make_unique<label>();
    made->set(text, 8);
    return made->text[0] != L'l';
}
