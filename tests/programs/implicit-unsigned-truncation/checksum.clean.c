// A sum of bytes does not fit into the byte that keeps it.
// RUN: options --enable implicit-unsigned-truncation
struct packet {
    unsigned char bytes[8];
    unsigned char sum;
};

static unsigned total(const struct packet *packet) {
    unsigned sum = 0;
    for (int i = 0; i < 8; i++)
        sum += packet->bytes[i];
    return sum;
}

int main(int argc, char **argv) {
    (void)argv;
    struct packet packet = {{100, 100, 100, (unsigned char)argc}, 0};
    packet.sum = total(&packet) & 0xffu;
    return packet.sum == 0;
}
