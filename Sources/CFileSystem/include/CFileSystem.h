#ifndef SYMBOLIST_CFILESYSTEM_H
#define SYMBOLIST_CFILESYSTEM_H

// Swift cannot call this function of Linux, because the C library declares it only on request.

/// Writes all changes of the file system of an open file to disk. Returns 0 or an errno.
int symbolist_flush_file_system(int descriptor);

#endif
