/* Steps that depend on labelled values, and what evaluators ask of labels. */
#include "../include/whence/labels.h"
#include "../labels/born.h"
#include "../labels/plane.h"
#include "../os/os.h"
#include "event.h"

WH_EXPORT void __whence_labelled(uint64_t point, uint64_t value, uint64_t labels) {
    if (!event_watched(point)) return;
    struct context context = {0};
    context.event.point = point;
    context.event.value = value;
    context.event.other = labels;
    context.birth = birth_stack(birth_last((uint8_t)labels));
    context.frame = FRAME_HERE;
    event_evaluate(&context);
}

/* A rule may ask about any number. */
static int is_readable(uint64_t at, uint64_t size) {
    uint64_t loaded;
    for (uint64_t end = at + size; size; at += size, size = end - at) {
        uint64_t page = OS_PAGE - at % OS_PAGE;
        if (size > page) size = page;
        if (!__whence_load(at, 1, &loaded)) return 0;
    }
    return 1;
}

WH_EXPORT uint64_t __whence_labels_of_bytes(uint64_t at, uint64_t size) {
    if (at >> WH_ADDRESS_BITS || size >> WH_ADDRESS_BITS || !is_readable(at, size)) return 0;
    uint8_t labels = labels_load(at, size);
    birth_asked(labels);
    return labels;
}

WH_EXPORT uint64_t __whence_labels_of_text(uint64_t at) {
    uint64_t end = at, found;
    while (__whence_load(end, 1, &found) && found) end++;
    uint8_t labels = labels_load(at, end - at);
    birth_asked(labels);
    return labels;
}

WH_EXPORT uint64_t __whence_labels_of_list(uint64_t at) {
    uint64_t labels = 0, text;
    for (; __whence_load(at, sizeof text, &text) && text; at += sizeof text)
        labels |= __whence_labels_of_text(text);
    return labels;
}
