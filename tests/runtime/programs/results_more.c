/* Vectors of texts, input and output beside the program, the memory of other processes. As in results.c, every
 * result has a block of exactly its size; the one that the argument names is a byte too short. */
#define _GNU_SOURCE
#include "common.h"
#include <aio.h>
#include <argp.h>
#include <argz.h>
#include <envz.h>
#include <fcntl.h>
#include <sys/uio.h>

static const char *shortened;

/* The block for what `name` stores or reads. */
static void *block(const char *name, size_t size) {
    int is_short = shortened && !strcmp(shortened, name);
    return malloc(size - (size_t)is_short);
}

/* A copy of `size` bytes, without the last one where `name` is shortened. */
static void *copy(const char *name, const void *from, size_t size) {
    int is_short = shortened && !strcmp(shortened, name);
    return memcpy(block(name, size), from, size - (size_t)is_short);
}

static void vectors(void) {
    char *texts[] = {"one", "two", "three", NULL}, *vector = NULL;
    char **from = copy("argz_create", texts, sizeof texts);
    size_t length = 0;
    REQUIRE(!argz_create(from, &vector, &length) && length == 14 && argz_count(vector, length) == 3);
    char *counted = copy("argz_count", "a\0b", 4);
    REQUIRE(argz_count(counted, 4) == 2);
    char **parts = block("argz_extract", 4 * sizeof *parts);
    argz_extract(vector, length, parts);
    REQUIRE(!strcmp(parts[2], "three") && !parts[3]);
    REQUIRE(!argz_add(&vector, &length, copy("argz_add", "four", 5)) && argz_count(vector, length) == 4);
    REQUIRE(!argz_add_sep(&vector, &length, copy("argz_add_sep", "5:6", 4), ':') && argz_count(vector, length) == 6);
    REQUIRE(!argz_append(&vector, &length, copy("argz_append", "7\0" "8", 4), 4) && argz_count(vector, length) == 8);
    char *second = argz_next(vector, length, vector);
    REQUIRE(!strcmp(second, "two") && !argz_next(vector, length, vector + length));
    REQUIRE(!argz_insert(&vector, &length, second, copy("argz_insert", "new", 4)) && argz_count(vector, length) == 9);
    argz_delete(&vector, &length, vector);
    unsigned *count = copy("argz_replace", &(unsigned){0}, sizeof *count);
    REQUIRE(!argz_replace(&vector, &length, "two", "2", count) && argz_count(vector, length) == 8);
    char *joined = copy("argz_stringify", "a\0b", 4);
    argz_stringify(joined, 4, ',');
    REQUIRE(!strcmp(joined, "a,b"));
    char *cut = NULL;
    size_t cut_length;
    REQUIRE(!argz_create_sep(copy("argz_create_sep", "a b", 4), ' ', &cut, &cut_length) && cut_length == 4);
    for (size_t i = 0; i < length; i++) REQUIRE(vector[i] >= 0);
    free(vector);
    free(cut);
}

static void entries(void) {
    char *vector = NULL;
    size_t length = 0;
    REQUIRE(!envz_add(&vector, &length, "name", copy("envz_add", "value", 6)) && !envz_add(&vector, &length, "bare", NULL));
    REQUIRE(!strcmp(envz_get(vector, length, "name"), "value") && !strcmp(envz_entry(vector, length, "bare"), "bare"));
    char *searched = copy("envz_entry", "a=1\0b=2", 8);
    REQUIRE(!envz_entry(searched, 8, "c") && !strcmp(envz_get(searched, 8, "a"), "1"));
    REQUIRE(!envz_merge(&vector, &length, copy("envz_merge", "x=y", 4), 4, 1) && argz_count(vector, length) == 3);
    envz_strip(&vector, &length);
    envz_remove(&vector, &length, copy("envz_remove", "x", 2));
    REQUIRE(argz_count(vector, length) == 1);
    free(vector);
}

static ssize_t wait_for(struct aiocb *request) {
    const struct aiocb *all[] = {request};
    while (aio_error(request) == EINPROGRESS) REQUIRE(!aio_suspend(all, 1, NULL));
    return aio_return(request);
}

static void asynchronous(void) {
    char name[] = "/tmp/whence-aio-XXXXXX";
    int file = mkstemp(name);
    REQUIRE(file >= 0 && !unlink(name));
    struct aiocb request = {.aio_fildes = file, .aio_buf = copy("aio_write", "text", 5), .aio_nbytes = 5};
    REQUIRE(!aio_write(&request) && wait_for(&request) == 5);
    REQUIRE(!aio_fsync(O_SYNC, &request) && wait_for(&request) == 0);
    char *to = block("aio_return", 5);
    /* More is asked for than the file has: what is not stored need not be there. */
    struct aiocb reading = {.aio_fildes = file, .aio_buf = to, .aio_nbytes = 99};
    REQUIRE(!aio_read(&reading) && wait_for(&reading) == 5 && !strcmp(to, "text"));
    struct aiocb listed = {.aio_fildes = file, .aio_buf = copy("lio_listio", "more", 5), .aio_nbytes = 5};
    listed.aio_lio_opcode = LIO_WRITE;
    struct aiocb *list[] = {&listed, NULL};
    REQUIRE(!lio_listio(LIO_WAIT, list, 2, NULL) && wait_for(&listed) == 5);
    REQUIRE(aio_cancel(file, NULL) == AIO_ALLDONE && !close(file));
}

static void other_processes(void) {
    char here[] = "text";
    struct iovec there = {here, 5}, local = {block("process_vm_readv", 5), 5};
    ssize_t size = process_vm_readv(getpid(), &local, 1, &there, 1, 0);
    REQUIRE(size == 5 ? !strcmp(local.iov_base, "text") : errno == EPERM || errno == ENOSYS);
    local.iov_base = copy("process_vm_writev", "TEXT", 5);
    size = process_vm_writev(getpid(), &local, 1, &there, 1, 0);
    REQUIRE(size == 5 ? !strcmp(here, "TEXT") : errno == EPERM || errno == ENOSYS);
}

static error_t option(int key, char *text, struct argp_state *state) {
    if (key == 'n') *(int *)state->input = atoi(text);
    return key == 'n' || key == ARGP_KEY_ARG ? 0 : ARGP_ERR_UNKNOWN;
}

static void options(void) {
    char *arguments[] = {"program", "--number=3", "rest", NULL};
    struct argp_option known[] = {{"number", 'n', "N", 0, "a number", 0}, {0}};
    struct argp parser = {.options = known, .parser = option};
    int number = 0, *index = block("argp_parse", sizeof *index);
    REQUIRE(!argp_parse(&parser, 3, arguments, 0, index, &number) && number == 3 && *index == 3);
}

int main(int argc, char **argv) {
    shortened = argc > 1 ? argv[1] : NULL;
    vectors();
    entries();
    asynchronous();
    other_processes();
    options();
    return 0;
}
