// LLVM's misaligned.cpp: the object is packed, and may lie anywhere.
// RUN: options --enable misaligned-pointer
struct __attribute__((packed)) Header {
    int kind;
    int size() const { return 4; }
};

alignas(8) static char packet[32];

int main(int argc, char **) {
    const Header *header = reinterpret_cast<const Header *>(packet + argc);
    return header->size() == 5;
}
