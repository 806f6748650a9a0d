/* Facts about the build of the executable. */
#pragma once

/* The abbreviated Git commit that was built, empty if it is unknown. */
const char *symbolist_commit(void);
