// LLVM's misaligned.cpp: a member function is called with an object at an odd address.
// RUN: options --enable misaligned-pointer
struct Header {
    int kind;
    int size() const { return 4; }
};

alignas(8) static char packet[32];

int main(int argc, char **) {
    const Header *header = reinterpret_cast<const Header *>(packet + argc);
    return header->size() == 5; // EXPECT misaligned-pointer
}
