#define _GNU_SOURCE

#include "CFileSystem.h"

#include <errno.h>
#include <unistd.h>

int symbolist_flush_file_system(int descriptor) {
    return syncfs(descriptor) == 0 ? 0 : errno;
}
