#include "blob.h"
#include "sha256.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of zlib's interface that are used. */
static unsigned long (*compress_bound)(unsigned long size);
static int (*compress_into)(uint8_t *into, unsigned long *room, const uint8_t *data,
                            unsigned long size, int level);

int blob_prepare(void) {
    void *library = dlopen("libz.so.1", RTLD_LAZY);
    if (!library) return 0;
    *(void **)&compress_bound = dlsym(library, "compressBound");
    *(void **)&compress_into = dlsym(library, "compress2");
    return compress_bound && compress_into;
}

struct prefix {
    char magic[8];
    uint32_t version, header;
    uint64_t payload;
    uint8_t digest[32];
};

static int number(const struct plan *plan, char letter) { return atoi(fact(plan, letter)); }

int blob_pack(struct blob *blob, const struct plan *plan, const struct content *content) {
    size_t header = content->header ? strlen(content->header) : 0;
    size_t before = sizeof(struct prefix) + header;
    size_t count = content->counted ? sizeof(uint32_t) : 0;
    unsigned long packed = compress_bound(content->size);
    blob->data = malloc(before + count + packed);
    if (!blob->data) return 0;
    uint8_t *payload = blob->data + before;
    if (compress_into(payload + count, &packed, content->data, content->size,
                      number(plan, content->level)) != 0)
        return 0;
    uint32_t size = (uint32_t)packed;
    memcpy(payload, &size, count);
    struct prefix prefix = {.version = (uint32_t)number(plan, WH_COMPILE_VERSION),
                            .header = (uint32_t)header,
                            .payload = count + packed};
    memcpy(prefix.magic, fact(plan, content->magic), sizeof prefix.magic);
    sha256(payload, prefix.payload, prefix.digest);
    memcpy(blob->data, &prefix, sizeof prefix);
    if (header) memcpy(blob->data + sizeof prefix, content->header, header);
    blob->size = before + count + packed;
    for (size_t i = 0; i < sizeof prefix.digest; i++)
        snprintf(blob->digest + 2 * i, 3, "%02x", prefix.digest[i]);
    return 1;
}
