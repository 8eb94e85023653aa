/* What a program wants of leak checks, by functions that it defines for LeakSanitizer. */
#ifndef WHENCE_LEAK_WISHES_H
#define WHENCE_LEAK_WISHES_H

/* Whether there is to be no leak check at its end. */
int wishes_decline(void);

/* Writes its suppressions to the record, once: whoever reads it leaves out the leaks that they are
 * about. */
void wishes_tell(void);

#endif
