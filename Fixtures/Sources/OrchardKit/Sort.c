// A tail call: at -O the middle function jumps, so it is on the true stack of the source and in no
// frame of the report.

#include "OrchardKit.h"

static volatile int compared;

static __attribute__((noinline)) int compare(const int *left, const int *right) {
  compared++;
  return *(const volatile int *)left - *(const volatile int *)right;  // @line compare.load
}

static __attribute__((noinline)) int compare_reversed(const int *left, const int *right) {
  compared--;
  return compare(right, left);  // @line reversed.compare
}

int ok_sort_rows(void) {
  static const int row = 3;
  return compare_reversed(&row, (const int *)24) + 1;  // @line sort.reversed
}
