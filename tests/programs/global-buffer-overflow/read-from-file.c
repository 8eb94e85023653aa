// A file is read into a global array that is smaller than the length that is given.
#include <fcntl.h>
#include <unistd.h>

static unsigned char header[16];

int main(void) {
    int file = open("/proc/self/exe", O_RDONLY);
    ssize_t got = read(file, header, sizeof header + 16);  // EXPECT global-buffer-overflow write 32 block 16 inside 0 in read
    return got < 16 || header[0] != 0x7f;
}
