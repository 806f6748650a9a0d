// Many functions that look alike: the outliner shares their tails, the splitter moves their unlikely
// parts away, and the linker folds those that are equal.

#include "OrchardKit.h"

struct row {
  int trees, crates, grams, year;
  const char *name;
};

extern int ok_log(const char *text, int a, int b, int c, int d);
volatile int ok_columns[16];

#define ROW(NAME, NUMBER)                                                         \
  int ok_row_##NAME(struct row *row) {                                            \
    int logged = ok_log(#NAME, row->trees, row->crates, row->grams, row->year);   \
    ok_columns[0] = row->trees;                                                   \
    ok_columns[1] = row->crates;                                                  \
    ok_columns[2] = row->grams;                                                   \
    ok_columns[3] = row->year;                                                    \
    ok_columns[4] = logged;                                                       \
    if (__builtin_expect(row->trees < 0, 0)) {                                    \
      ok_columns[5] = logged;                                                     \
      ok_columns[6] = row->crates - row->grams;                                   \
      ok_log(row->name, logged, NUMBER, row->year, 0);                            \
      ok_fail("negative row", NUMBER);                                            \
    }                                                                             \
    return logged + NUMBER;                                                       \
  }

ROW(apple, 1)
ROW(pear, 2)
ROW(plum, 3)  // @line row.plum
ROW(quince, 4)
ROW(cherry, 5)
ROW(medlar, 6)

__attribute__((noinline)) int ok_sum_of_trees(struct row *row) {
  return row->trees * 31 + row->crates * 17 + row->grams;  // @line sumTrees.load
}

__attribute__((noinline)) int ok_sum_of_bushes(struct row *row) {
  return row->trees * 31 + row->crates * 17 + row->grams;  // @line sumBushes.load
}

// Volatile, so that a call through it is a call: the splitter leaves functions alone that were told
// not to be inlined.
int (*volatile ok_row_table[])(struct row *) = {
    ok_row_apple, ok_row_pear, ok_row_plum, ok_row_quince, ok_row_cherry, ok_row_medlar,
};

int ok_audit_rows(void) {
  struct row row = {-1, 2, 3, 1998, "plum"};
  return ok_row_table[2](&row) + 1;  // @line audit.plum
}

int ok_audit_bushes(void) {
  return ok_sum_of_bushes((struct row *)48) + 1;  // @line audit.bushes
}
