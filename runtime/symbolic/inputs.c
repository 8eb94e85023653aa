#include "inputs.h"
#include "decisions.h"
#include "expressions.h"
#include "memory.h"
#include "stored.h"
#include "trace.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 1024u
#define NONE UINT32_MAX
#define NAME_MOST 256u
#define FOLDER_MOST 512u

/* number: in the trace. device, inode: of the file that it is. */
static struct object {
    char name[NAME_MOST];
    size_t length;
    const char *bytes;
    uint32_t size, number;
    dev_t device;
    ino_t inode;
} objects[MOST];
static WH_WRITTEN uint32_t object_count, numbered;
/* The folder of symbolic files, which the program starts in; empty without such files. */
static char folder[FOLDER_MOST];

/* ---- objects ---- */

static struct object *add(const char *name, size_t length, const char *bytes, uint32_t size) {
    if (object_count == MOST || length >= NAME_MOST) return NULL;
    struct object *object = &objects[object_count++];
    *object = (struct object){.length = length, .bytes = bytes, .size = size, .number = NONE};
    wh_copy(object->name, name, length);
    return object;
}

int inputs_take(const char *bytes, size_t size, uint32_t count) {
    object_count = numbered = 0;
    while (count--) {
        struct wh_explore_object head;
        if (size < sizeof head) return 0;
        wh_copy(&head, bytes, sizeof head);
        uint64_t all = sizeof head + (uint64_t)head.name + head.size;
        if (size < all) return 0;
        const char *name = bytes + sizeof head;
        if (!add(name, head.name, name + head.name, head.size)) return 0;
        bytes += all, size -= all;
    }
    return 1;
}

/* The number of an object in the trace, which it gets when it is first used. */
static uint32_t number_of(struct object *object, uint32_t size) {
    if (object->number != NONE || !trace_lock()) return object->number;
    uint64_t operands[] = {size, object->length};
    object->number = numbered++;
    trace_put_text(WH_TRACE_OBJECT, object->number, 2, operands, object->name, object->length);
    trace_unlock();
    return object->number;
}

/* Where a file holds another byte, the program has written it. */
static int holds(const struct object *object, uint64_t offset, uint8_t value) {
    return value == (offset < object->size ? (uint8_t)object->bytes[offset] : 0);
}

static uint32_t byte_of(struct object *object, uint32_t size, uint64_t offset, uint8_t value) {
    uint32_t number = holds(object, offset, value) ? number_of(object, size) : NONE;
    return number == NONE ? 0 : expression_input(number, (uint32_t)offset, value);
}

static void mark(struct object *object, uint32_t whole, uintptr_t at, size_t size,
                 uint64_t offset) {
    for (size_t i = 0; i < size && offset + i < whole; i++)
        memory_store(at + i, 1, byte_of(object, whole, offset + i, *(const uint8_t *)(at + i)));
}

/* ---- arguments and environment ---- */

/* Behind a prefix; NULL without it. */
static const char *behind(const char *name, const char *prefix) {
    while (*prefix)
        if (*name++ != *prefix++) return NULL;
    return name;
}

/* Replaces a text, whose final zero is not symbolic, by an object of at most its size. */
static int replace(char *text, struct object *object) {
    size_t room = wh_length(text) + 1;
    if (object->size > room || !object->size) return 0;
    wh_copy(text, object->bytes, object->size);
    text[object->size - 1] = 0;
    mark(object, object->size, (uintptr_t)text, object->size - 1, 0);
    return 1;
}

static int place_argument(struct object *object, const char *number, char **arguments) {
    uint64_t index = 0;
    while (*number >= '0' && *number <= '9') index = index * 10 + (uint64_t)(*number++ - '0');
    for (uint64_t i = 0; arguments && arguments[i]; i++)
        if (i == index) return replace(arguments[i], object);
    return 0;
}

static int place_variable(struct object *object, const char *name, char **environment) {
    size_t length = wh_length(name);
    for (; environment && *environment; environment++)
        if (behind(*environment, name) && (*environment)[length] == '=')
            return replace(*environment + length + 1, object);
    return 0;
}

/* ---- files ---- */

static int fill(struct object *object, int file) {
    struct stat facts;
    if (file < 0 || fstat(file, &facts)) return 0;
    uint64_t written = 0;
    while (written < object->size) {
        long count = os_write(file, object->bytes + written, object->size - written);
        if (count <= 0) return 0;
        written += (uint64_t)count;
    }
    object->device = facts.st_dev, object->inode = facts.st_ino;
    return 1;
}

static int place_input(struct object *object) {
    int file = memfd_create("stdin", MFD_CLOEXEC);
    int done = fill(object, file) && lseek(file, 0, SEEK_SET) == 0 && dup2(file, 0) == 0;
    if (file > 0) os_close(file);
    return done;
}

/* Written over, since file systems take long to shorten a file to nothing before it is filled. */
static int place_file(struct object *object, const char *path) {
    char here[FOLDER_MOST];
    long length = os_call(SYS_getcwd, (long)here, sizeof here, 0, 0, 0, 0);
    if (length > 0) wh_copy(folder, here, (size_t)length);
    int how = O_WRONLY | O_CREAT | O_CLOEXEC;
    int file = (int)os_call(SYS_openat, AT_FDCWD, (long)path, how, 0666, 0, 0);
    int done = fill(object, file);
    if (done && os_file_size(file) != (long)object->size)
        done = os_call(SYS_ftruncate, file, object->size, 0, 0, 0, 0) == 0;
    if (file >= 0) os_close(file);
    return done;
}

const char *inputs_file(uint32_t number) {
    for (uint32_t i = 0; i < object_count && trace_is_open(); i++) {
        const char *name = behind(objects[i].name, WH_OBJECT_FILE);
        if (name && !number--) return name;
    }
    return NULL;
}

static struct object *object_of(int file) {
    struct stat facts;
    if (!object_count || fstat(file, &facts)) return NULL;
    for (uint32_t i = 0; i < object_count; i++)
        if (objects[i].inode && objects[i].inode == facts.st_ino &&
            objects[i].device == facts.st_dev)
            return &objects[i];
    return NULL;
}

int inputs_are_beside(const char *name) {
    const char *rest = *folder ? behind(name, folder) : NULL;
    return rest && *rest == '/';
}

int inputs_are_of(int file) { return trace_is_open() && object_of(file); }

void inputs_read(int file, uintptr_t at, size_t size, uint64_t offset) {
    struct object *object = trace_is_open() ? object_of(file) : NULL;
    if (object) mark(object, object->size, at, size, offset);
}

uint32_t inputs_byte(int file, uint64_t offset, uint8_t value) {
    struct object *object = trace_is_open() ? object_of(file) : NULL;
    return object && offset < object->size ? byte_of(object, object->size, offset, value) : 0;
}

void inputs_bind(int file, uint64_t offset, uint64_t pc) {
    struct object *object = trace_is_open() ? object_of(file) : NULL;
    if (!object || offset >= object->size) return;
    uint8_t value = (uint8_t)object->bytes[offset];
    decision_bind(byte_of(object, object->size, offset, value), WH_REASON_UNSEEN, pc);
}

/* ---- all of them ---- */

static int place(struct object *object, char **arguments, char **environment) {
    const char *rest;
    if ((rest = behind(object->name, WH_OBJECT_ARGUMENT)))
        return place_argument(object, rest, arguments);
    if ((rest = behind(object->name, WH_OBJECT_ENVIRONMENT)))
        return place_variable(object, rest, environment);
    if ((rest = behind(object->name, WH_OBJECT_FILE))) return place_file(object, rest);
    if (wh_same(object->name, WH_OBJECT_STDIN)) return place_input(object);
    return behind(object->name, WH_OBJECT_MEMORY) != NULL;
}

int inputs_place(char **arguments, char **environment, const char **name) {
    for (uint32_t i = 0; i < object_count; i++) {
        *name = objects[i].name;
        if (!place(&objects[i], arguments, environment)) return 0;
    }
    return 1;
}

/* ---- memory ---- */

static struct object *named(const struct text *name) {
    for (uint32_t i = 0; i < object_count; i++)
        if (objects[i].length == name->length && wh_same(objects[i].name, name->begin))
            return &objects[i];
    return NULL;
}

/* `memory:NAME`, or `memory:NAME#k` for the k-th object of the name, from 2 on: the first that this
 * path has not used. */
static struct object *memory_object(const char *name) {
    for (uint64_t k = 1;; k++) {
        TEXT(wanted, NAME_MOST);
        text_put(&wanted, WH_OBJECT_MEMORY);
        text_put(&wanted, name);
        if (k > 1) text_put(&wanted, "#"), text_decimal(&wanted, k);
        if (wanted.length == NAME_MOST) wanted.length--;
        wanted.begin[wanted.length] = 0;
        struct object *object = named(&wanted);
        if (!object) return add(wanted.begin, wanted.length, NULL, 0);
        if (object->number == NONE) return object;
    }
}

void inputs_memory(void *at, size_t size, const char *name) {
    if (!trace_is_open()) {
        stored_take(at, size, name);
        return;
    }
    struct object *object = memory_object(name);
    if (!object) return;
    size_t known = object->size < size ? object->size : size;
    wh_copy(at, object->bytes, known);
    wh_fill((char *)at + known, 0, size - known);
    mark(object, (uint32_t)size, (uintptr_t)at, size, 0);
}
