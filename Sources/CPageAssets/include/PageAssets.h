#ifndef PAGE_ASSETS_H
#define PAGE_ASSETS_H

#include <stddef.h>

// The files that all pages share, compiled from the Assets folder.

const unsigned char *page_style_sheet_start(void);
size_t page_style_sheet_size(void);
const unsigned char *page_script_start(void);
size_t page_script_size(void);
const unsigned char *page_icon_start(void);
size_t page_icon_size(void);

#endif
