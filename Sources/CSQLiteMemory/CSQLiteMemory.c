#include "CSQLiteMemory.h"

#include <sqlite3.h>

int symbolist_set_sqlite_lookaside(int size, int count) {
    return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, size, count);
}
