#include "json.h"
#include <string.h>

int json_can_say(const char *text) {
    for (; *text; text++)
        if (*text & 0x80) return 0;
    return 1;
}

void json_string(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; text++) {
        static const char escaped[] = "\"\\\b\f\n\r\t", as[] = "\"\\bfnrt";
        const char *known = strchr(escaped, *text);
        if (known)
            fprintf(to, "\\%c", as[known - escaped]);
        else if (*text < ' ' || *text > '~')
            fprintf(to, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, to);
    }
    fputc('"', to);
}

void json_field(FILE *to, const char *name, const char *text) {
    fprintf(to, "\"%s\": ", name);
    json_string(to, text);
    fputs(", ", to);
}
