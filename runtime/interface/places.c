/* What a framework that runs many tests in one process asks for. */
#include "../findings/finding.h"

WH_EXPORT void __whence_report_again(void);

/* Findings at places that had one are reported again: the next test hears of what an earlier one
 * was told. */
void __whence_report_again(void) { finding_forget_places(); }
