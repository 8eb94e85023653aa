// A count that is an int is -1 where nothing was found.
#include <cstring>
#include <string>

static wchar_t letters[16];

static int index_of(const std::string &text, char letter) {
    std::size_t at = text.find(letter);
    return at == std::string::npos ? -1 : static_cast<int>(at);
}

int main() {
    char prefix[32] = {};
    std::string text = "no such letter here";
    int count = index_of(text, 'z');
    std::strncpy(prefix, reinterpret_cast<const char *>(letters), count); // EXPECT stack-buffer-overflow write * block 32 inside 0 in strncpy
    return prefix[31];
}
