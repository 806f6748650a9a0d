#include "tray.h"

__attribute__((noinline)) int pick(struct tray *tray) { return fill_tray(tray, tray->fruit); }

int main(int count, char **values) {
    struct tray tray = {count};
    return pick(&tray);
}
