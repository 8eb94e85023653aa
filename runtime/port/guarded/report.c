#include "report.h"
#include "../port.h"
#include "../../os/mem.h"
#include "../../os/os.h"
#include "../../os/text.h"

#include <dlfcn.h>

#define LINE 1024u

static void put_line(struct text *line) {
    if (line->length == line->capacity) line->length--;
    text_put(line, "\n");
    os_complain(line->begin, line->length);
}

/* "    #2 0x… in function+0x12 (module+0x1234)"; a return address stands for the call before it. */
static void put_frame(unsigned number, uint64_t pc) {
    TEXT(line, LINE);
    Dl_info info = {0};
    text_put(&line, "    #");
    text_decimal(&line, number);
    text_put(&line, " ");
    text_hex(&line, pc - 1);
    if (dladdr((const void *)(uintptr_t)(pc - 1), &info)) {
        text_put(&line, " in ");
        text_put(&line, info.dli_sname ? info.dli_sname : "an unnamed function");
        if (info.dli_sname) {
            text_put(&line, "+");
            text_hex(&line, pc - 1 - (uintptr_t)info.dli_saddr);
        }
        text_put(&line, " (");
        text_put(&line, info.dli_fname);
        text_put(&line, "+");
        text_hex(&line, pc - 1 - (uintptr_t)info.dli_fbase);
        text_put(&line, ")");
    }
    put_line(&line);
}

void report_frames(const uint64_t *pcs, unsigned count) {
    for (unsigned i = 0; i < count; i++) put_frame(i, pcs[i]);
}

static void put_stack(const char *heading, uint32_t thread, const uint64_t *pcs, unsigned count) {
    TEXT(line, LINE);
    text_put(&line, "  ");
    text_put(&line, heading);
    if (thread) {
        text_put(&line, " thread ");
        text_decimal(&line, thread);
    } else {
        text_put(&line, " the main thread");
    }
    text_put(&line, ":");
    put_line(&line);
    report_frames(pcs, count);
}

static void put_bytes(struct text *line, uint64_t count) {
    text_decimal(line, count);
    text_put(line, count == 1 ? " byte" : " bytes");
}

static void put_place(struct text *line, const struct wh_finding *head) {
    uint64_t begin = head->block_begin, end = begin + head->block_size;
    if (head->address < begin) {
        put_bytes(line, begin - head->address);
        text_put(line, " before ");
    } else if (head->address >= end) {
        if (head->address > end) put_bytes(line, head->address - end);
        text_put(line, head->address > end ? " after " : "just after ");
    } else {
        put_bytes(line, head->address - begin);
        text_put(line, " inside ");
    }
    text_put(line, head->block_state == WH_BLOCK_FREED ? "a freed block of " : "a block of ");
    put_bytes(line, head->block_size);
    text_put(line, ", ");
    text_hex(line, begin);
}

static void put_address(const struct wh_finding *head) {
    if (!head->address && !head->block_id) return;
    TEXT(line, LINE);
    text_put(&line, "  ");
    text_hex(&line, head->address);
    if (head->block_id && head->point != WH_POINT_RET) {
        text_put(&line, " is ");
        put_place(&line, head);
    } else if (!head->block_id) {
        text_put(&line, " is at or near no block that is known");
    }
    if (head->address) put_line(&line);
}

static void put_leak(const struct wh_finding *head) {
    TEXT(line, LINE);
    text_put(&line, "  ");
    put_bytes(&line, head->bytes);
    text_put(&line, " in ");
    text_decimal(&line, head->count);
    text_put(&line, head->count == 1 ? " block" : " blocks");
    put_line(&line);
}

static void put_step(struct text *line, const struct wh_finding *head, const char *step) {
    int late = head->flags & WH_FLAG_LATE;
    text_put(line, late ? "an earlier write" : head->point == WH_POINT_RET ? "leak" : step);
    if (!late && head->size) {
        text_put(line, " of ");
        put_bytes(line, head->size);
    }
}

void port_say(const struct wh_finding *head, const struct port_words *words,
              struct port_stacks stacks) {
    TEXT(line, LINE);
    text_put(&line, "whence: ");
    text_put(&line, words->rule);
    text_put(&line, ": ");
    put_step(&line, head, words->step);
    if (head->n_name) text_put(&line, " by ");
    text_put_n(&line, words->function, head->n_name);
    put_line(&line);
    if (head->point == WH_POINT_RET)
        put_leak(head);
    else
        put_address(head);
    if (head->point != WH_POINT_RET)
        put_stack(head->flags & WH_FLAG_LATE ? "found in" : "in", head->thread, stacks.stack,
                  head->n_stack);
    if (head->n_free)
        put_stack(head->flags & WH_FLAG_MOVED ? "moved by realloc in" : "freed in",
                  head->block_free_thread, stacks.free, head->n_free);
    if (head->n_alloc)
        put_stack("allocated in", head->block_alloc_thread, stacks.alloc, head->n_alloc);
}
