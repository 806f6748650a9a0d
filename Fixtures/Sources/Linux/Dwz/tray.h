struct tray { int fruit; };

static inline __attribute__((always_inline)) int add_fruit(struct tray *tray, int count) {
    tray->fruit += count;
    if (tray->fruit > 100) __builtin_trap();
    return tray->fruit;
}

static inline __attribute__((always_inline)) int fill_tray(struct tray *tray, int rows) {
    int total = 0;
    for (int row = 0; row < rows; row++) total += add_fruit(tray, row);
    return total;
}
