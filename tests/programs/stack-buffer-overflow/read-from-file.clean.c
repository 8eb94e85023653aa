// As many bytes are requested of a file as the local array holds.
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    char bytes[50];
    int file = open("/dev/zero", O_RDONLY);
    long count = read(file, bytes, 50);
    close(file);
    return count < 50 || bytes[3];
}
