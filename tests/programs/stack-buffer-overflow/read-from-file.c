// More bytes are requested of a file than the local array holds.
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    char bytes[50];
    int file = open("/dev/zero", O_RDONLY);
    long count = read(file, bytes, 60);  // EXPECT stack-buffer-overflow write 60 block 50 after 0 in read
    close(file);
    return count < 50 || bytes[3];
}
