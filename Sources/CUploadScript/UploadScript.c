#include "UploadScript.h"

// The compiler supports C23's #embed in every mode, but warns about it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char script[] = {
#embed "../../Scripts/upload-symbols"
};

const unsigned char *upload_script_start(void) { return script; }
size_t upload_script_size(void) { return sizeof script; }
