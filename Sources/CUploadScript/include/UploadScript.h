#ifndef UPLOAD_SCRIPT_H
#define UPLOAD_SCRIPT_H

#include <stddef.h>

// Scripts/upload-symbols, compiled in.

const unsigned char *upload_script_start(void);
size_t upload_script_size(void);

#endif
