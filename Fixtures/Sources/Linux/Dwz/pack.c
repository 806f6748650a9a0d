#include "tray.h"

__attribute__((noinline)) int pack(struct tray *tray) { return fill_tray(tray, tray->fruit + 3); }

int main(int count, char **values) {
    struct tray tray = {count};
    return pack(&tray);
}
