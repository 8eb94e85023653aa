/* The functions that the process has entered, for a second run, which needs no others
 * (whence.abi.entered). */
#ifndef WHENCE_FINDINGS_ENTERED_H
#define WHENCE_FINDINGS_ENTERED_H

/* There is a finding, whose lock is held: the file beside the record gets what was entered so far.
 */
void entered_write(void);

#endif
