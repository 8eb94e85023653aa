// The length of a copy counts bytes where it should count characters of four bytes.
// RUN: options --enable index-out-of-bounds
#include <cwchar>
#include <memory>

struct label {
    wchar_t before[4] = {};
    wchar_t text[8] = {};
    long width = 0;

    void set(const wchar_t *from, std::size_t size) {
        std::wmemcpy(text, from, size); // EXPECT index-out-of-bounds
        width = static_cast<long>(size);
    }
};

int main() {
    static const wchar_t text[16] = L"label";
    auto made = std::make_unique<label>();
    made->set(text, 9);
    return made->text[0] != L'l';
}
