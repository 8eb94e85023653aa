/* Before a debugger looks at this process (Redzal, section 3.2). */
#include "../../guard/pager.h"
#include "../port.h"

void port_before_debugger(void) { pager_freeze(); /* a debugger does not see packed bytes */ }
