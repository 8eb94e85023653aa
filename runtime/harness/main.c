/* `main` of a program that has LLVMFuzzerTestOneInput in place of it. It runs the input that a
 * fuzzer of whence has made, or those in the files and folders that are named, or else the one that
 * standard input has. Each lies in a block that ends with it. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *count, char ***arguments);
__attribute__((weak)) int __whence_edges_input(uintptr_t begin, uintptr_t end,
                                               const uint8_t **bytes, uint64_t *size);

extern __attribute__((weak, visibility("hidden"))) const uint8_t __start_whence_counters[],
    __stop_whence_counters[];

static __attribute__((noinline)) void run(const uint8_t *bytes, size_t size) {
    /* All of it is written, though this code is not seen. */
    uint8_t *block = calloc(size, 1);
    if (!block && size) {
        fprintf(stderr, "there is no memory for an input of %zu bytes\n", size);
        exit(1);
    }
    if (size) memcpy(block, bytes, size);
    LLVMFuzzerTestOneInput(block, size);
    free(block);
}

/* All that a file has; NULL: it cannot be read. */
static uint8_t *contents(FILE *file, size_t *size) {
    size_t room = 4096;
    uint8_t *bytes = malloc(room);
    for (*size = 0; bytes;) {
        size_t count = fread(bytes + *size, 1, room - *size, file);
        *size += count;
        if (!count) break;
        if (*size < room) continue;
        uint8_t *more = realloc(bytes, room *= 2);
        if (!more) free(bytes);
        bytes = more;
    }
    if (bytes && ferror(file)) free(bytes), bytes = NULL;
    return bytes;
}

static int read_input(FILE *file, const char *name, uint8_t **bytes, size_t *size) {
    *bytes = file ? contents(file, size) : NULL;
    if (!*bytes) perror(name);
    return *bytes != NULL;
}

/* failed: some input could not be read. The inputs are run where `main` calls `run`, whatever they
 * come from: so what one shows has the same stack. */
struct inputs {
    uint8_t **bytes;
    size_t *sizes, count, room;
    int failed;
};

static void add(struct inputs *inputs, uint8_t *bytes, size_t size) {
    if (inputs->count == inputs->room) {
        inputs->room = inputs->room ? 2 * inputs->room : 16;
        inputs->bytes = realloc(inputs->bytes, inputs->room * sizeof *inputs->bytes);
        inputs->sizes = realloc(inputs->sizes, inputs->room * sizeof *inputs->sizes);
        if (!inputs->bytes || !inputs->sizes) {
            fputs("there is no memory for the inputs\n", stderr);
            exit(1);
        }
    }
    inputs->bytes[inputs->count] = bytes;
    inputs->sizes[inputs->count++] = size;
}

static void add_file(struct inputs *inputs, const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    size_t size;
    if (read_input(file, path, &bytes, &size))
        add(inputs, bytes, size);
    else
        inputs->failed = 1;
    if (file) fclose(file);
}

static void add_named(struct inputs *inputs, const char *path) {
    struct stat facts;
    DIR *folder = !stat(path, &facts) && S_ISDIR(facts.st_mode) ? opendir(path) : NULL;
    if (!folder) {
        add_file(inputs, path);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char name[4096];
        int fits = snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name;
        if (fits && !stat(name, &facts) && S_ISREG(facts.st_mode)) add_file(inputs, name);
    }
    closedir(folder);
}

int main(int count, char **arguments) {
    struct inputs inputs = {0};
    const uint8_t *made;
    uint64_t made_size;
    uint8_t *bytes;
    size_t size;
    int named = 0;
    if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&count, &arguments);
    if (__whence_edges_input &&
        __whence_edges_input((uintptr_t)__start_whence_counters, (uintptr_t)__stop_whence_counters,
                             &made, &made_size)) {
        bytes = malloc(made_size + 1);
        if (!bytes) return 1;
        memcpy(bytes, made, made_size);
        add(&inputs, bytes, made_size);
    } else {
        for (int i = 1; i < count; i++) {
            if (*arguments[i] == '-') {
                fprintf(stderr, "%s: options of libFuzzer have no effect here: see whence fuzz\n",
                        arguments[i]);
                continue;
            }
            add_named(&inputs, arguments[i]);
            named = 1;
        }
        if (!named) {
            if (read_input(stdin, "standard input", &bytes, &size))
                add(&inputs, bytes, size);
            else
                inputs.failed = 1;
        }
    }
    for (size_t i = 0; i < inputs.count; i++) run(inputs.bytes[i], inputs.sizes[i]);
    for (size_t i = 0; i < inputs.count; i++) free(inputs.bytes[i]);
    free(inputs.bytes);
    free(inputs.sizes);
    return inputs.failed;
}
