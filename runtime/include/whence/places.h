/* What a framework that runs many tests in one process calls (whence.pytest_plugin). */
#ifndef WHENCE_PLACES_H
#define WHENCE_PLACES_H

/* Findings at places that had one are reported again: the next test hears of what an earlier one
 * was told. */
void __whence_report_again(void);

#endif
