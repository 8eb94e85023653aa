/* What the C library says before it aborts. */
#ifndef WHENCE_RT_LAST_WORDS_H
#define WHENCE_RT_LAST_WORDS_H

/* The text that it has left for debuggers, such as that of a failed assertion, or NULL. */
const char *last_words(void);

#endif
