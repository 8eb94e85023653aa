// The kind of a message is read from bytes.
// RUN: options --enable enumeration-out-of-range
#include <cstring>

enum Kind { hello, data, bye };

struct Message {
    Kind kind;
    int size;
};

static int weight(const Message &message) {
    return message.kind == data ? message.size : 0;
}

int main(int argc, char **) {
    unsigned char bytes[sizeof(Message)] = {static_cast<unsigned char>(argc + 1)};
    Message message;
    std::memcpy(&message, bytes, sizeof message);
    return weight(message) == 77;
}
