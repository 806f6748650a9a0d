// What a parser generator writes: lines of the grammar, not of this file. The markers below stand on
// the lines that the compiler is told to call `recipe.y` and `units.y`.

#include "OrchardKit.h"

static volatile int stirred;

#line 40 "/Users/ci/orchard/Grammar/recipe.y"
static __attribute__((noinline)) int read_amount(int depth) {
  if (depth > 3)
    return *(volatile int *)8;  // @line amount.load
  stirred += depth;
  return depth;
}

#line 900 "/Users/ci/orchard/Grammar/recipe.y"
int ok_read_recipe(int depth) {
  int total = read_amount(depth) + 1;  // @line recipe.amount
#line 77 "/Users/ci/orchard/Grammar/units.y"
  total += ok_read_recipe(depth + 1) ^ stirred;  // @line recipe.again
#line 905 "/Users/ci/orchard/Grammar/recipe.y"
  return total + stirred;
}
