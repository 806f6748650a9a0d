// Recursion deeper than most readers of JSON go.

#include "OrchardKit.h"

static volatile int steps;

static __attribute__((noinline)) int descend(int depth) {
  if (depth == 0)
    ok_fail("too deep", steps);  // @line descend.fail
  steps++;
  return descend(depth - 1) * 3 + steps;  // @line descend.again
}

int ok_descend(void) {
  return descend(600) + 1;  // @line deep.descend
}
