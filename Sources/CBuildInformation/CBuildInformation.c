#include "CBuildInformation.h"

const char *symbolist_commit(void) { return SYMBOLIST_COMMIT; }
