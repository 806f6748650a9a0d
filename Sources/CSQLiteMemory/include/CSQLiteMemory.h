#ifndef SYMBOLIST_CSQLITEMEMORY_H
#define SYMBOLIST_CSQLITEMEMORY_H

// sqlite3_config has variable arguments, which Swift cannot pass.

/// Sets the memory from which each connection takes small blocks, instead of allocating them. Has
/// an effect only before the first connection is opened.
///
/// `size` is that of a block in bytes, and `count` the number of blocks. Returns a result code of
/// SQLite.
int symbolist_set_sqlite_lookaside(int size, int count);

#endif
