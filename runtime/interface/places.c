#include "../include/whence/places.h"
#include "../findings/finding.h"

WH_EXPORT void __whence_report_again(void) { finding_forget_places(); }
