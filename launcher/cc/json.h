/* JSON as Python's module writes it by default: ASCII, a blank behind commas and colons. */
#ifndef WHENCE_LAUNCHER_CC_JSON_H
#define WHENCE_LAUNCHER_CC_JSON_H

#include <stdio.h>

/* Whether the text can be written: it is ASCII. */
int json_can_say(const char *text);

void json_string(FILE *to, const char *text);

/* `"name": "text", ` */
void json_field(FILE *to, const char *name, const char *text);

#endif
