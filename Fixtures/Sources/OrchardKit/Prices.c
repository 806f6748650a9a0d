// A load that does not change within the loop. At -O it is moved in front of the loop, and a moved
// instruction belongs to no line.

#include "OrchardKit.h"

static inline __attribute__((always_inline)) int shrunk(int price, const int *limit) {
  return price > *limit ? *limit : price;  // @line shrunk.load
}

int ok_shrink_all(const int *prices, int count, const int *limit) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += shrunk(prices[i], limit);  // @line shrinkAll.shrunk
  return sum;
}

int ok_shrink_prices(void) {
  static const int prices[] = {3, 4, 5, 6};
  int (*volatile shrink)(const int *, int, const int *) = ok_shrink_all;
  return shrink(prices, 4, (const int *)32) + 1;  // @line shrink.all
}
