#include "service.h"
#include "../settings/options.h"
#include "thread.h"
#include "../os/os.h"

#include <errno.h>

static char path[108]; /* as long as an address may be */

void service_init(const char *environment, size_t size) {
    size_t length = 0;
    const char *value = options_variable(environment, size, WH_SERVICE_VARIABLE, &length);
    if (value && length < sizeof path) wh_copy(path, value, length);
}

int service_known(void) { return path[0] != 0; }

const char *service_folder(size_t *length) {
    *length = wh_length(path);
    while (*length && path[*length - 1] != '/') --*length;
    return path;
}

void service_begin(struct service_talk *talk, char *room, const char *question) {
    talk->text = (struct text){room, WH_SERVICE_ROOM, 0};
    talk->at = 0;
    service_say(talk, question);
}

void service_say(struct service_talk *talk, const char *word) {
    text_put_n(&talk->text, word, wh_length(word) + 1);
}

void service_say_directory(struct service_talk *talk) {
    struct text *text = &talk->text;
    long used = os_directory(text->begin + text->length, text->capacity - text->length);
    if (used > 0)
        text->length += (size_t)used;
    else
        service_say(talk, "");
}

static long ask(struct service_talk *talk) {
    struct text *text = &talk->text;
    if (text->length == text->capacity) return -EMSGSIZE; /* cut off */
    int socket = os_connect(path);
    long n = socket < 0 ? socket : os_send(socket, text->begin, text->length);
    if (n > 0) n = os_receive(socket, text->begin, text->capacity);
    if (socket >= 0) os_close(socket);
    text->length = n > 0 ? (size_t)n : 0;
    return n;
}

static int is_whole(const struct service_talk *talk, long n) {
    return n > 0 && talk->text.begin[n - 1] == 0;
}

int service_try(struct service_talk *talk) { return is_whole(talk, ask(talk)); }

int service_ask(struct service_talk *talk) {
    static int unreachable, forbidden;
    long n = ask(talk);
    if (n == -EMSGSIZE) return 0;
    if (n == -EACCES)
        rt_note(&forbidden, "the program has become a user who cannot reach whence: libraries that "
                            "it loads and programs that it executes then are not checked");
    else if (n <= 0)
        rt_note(&unreachable,
                "whence did not answer a question about a library or a program, which then runs as "
                "it is");
    return is_whole(talk, n);
}

const char *service_next(struct service_talk *talk) {
    if (talk->at >= talk->text.length) return NULL;
    const char *word = talk->text.begin + talk->at;
    talk->at += wh_length(word) + 1;
    return word;
}
