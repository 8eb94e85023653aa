// A count that is an int is tested before it is a length.
#include <cstring>
#include <string>
#include <sys/mman.h>

static wchar_t letters[16];
static char *prefix;

static int index_of(const std::string &text, char letter) {
    std::size_t at = text.find(letter);
    return at == std::string::npos ? -1 : static_cast<int>(at);
}

int main() {
    prefix = static_cast<char *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::string text = "no such letter here";
    int count = index_of(text, 'z');
    if (count > 0) std::strncpy(prefix, reinterpret_cast<const char *>(letters), count);
    count = index_of(text, 'h');
    if (count > 0) std::strncpy(prefix, text.c_str(), count);
    return prefix[31];
}
