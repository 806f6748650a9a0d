// As old as its debug information: C for the DWARF versions of long ago.

static inline __attribute__((always_inline)) int seed(const int *seeds, int index) {
  return *(const volatile int *)&seeds[index] / 3;  // @line seed.load
}

__attribute__((noinline)) int sow(const int *seeds, int rows) {
  int sum = 0;
  for (int row = 0; row < rows; row++)
    sum += seed(seeds, row * rows);  // @line sow.seed
  return sum;
}

int main(int arguments, char **values) {
  int *volatile nothing = 0;
  (void)values;
  return sow(nothing, arguments) + 1;  // @line seedsMain.sow
}
