#ifndef SYMBOLIST_CFILESYSTEM_H
#define SYMBOLIST_CFILESYSTEM_H

// syncfs is declared only with _GNU_SOURCE, which the Glibc module does not define.

/// Writes all changes of the file system of an open file to disk. Returns 0 or an errno.
int symbolist_flush_file_system(int descriptor);

#endif
