#include "PageAssets.h"

// The compiler supports C23's #embed in every mode, but warns about it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char style_sheet[] = {
#embed "Assets/pages.css"
};

static const unsigned char script[] = {
#embed "Assets/pages.js"
};

static const unsigned char icon[] = {
#embed "Assets/icon.svg"
};

const unsigned char *page_style_sheet_start(void) { return style_sheet; }
size_t page_style_sheet_size(void) { return sizeof style_sheet; }
const unsigned char *page_script_start(void) { return script; }
size_t page_script_size(void) { return sizeof script; }
const unsigned char *page_icon_start(void) { return icon; }
size_t page_icon_size(void) { return sizeof icon; }
