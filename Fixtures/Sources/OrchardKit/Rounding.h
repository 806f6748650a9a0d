#pragma once

#include "OrchardKit.h"

// Inlined into a C++ and a C unit, so one source line belongs to several functions of the image.

static inline __attribute__((always_inline)) int ok_clamp(int value, const int *limit) {
  int highest = *(const volatile int *)limit;  // @line clamp.load
  return value > highest ? highest : value;
}

static inline __attribute__((always_inline)) int ok_round(int value, const int *limit) {
  int clamped = ok_clamp(value + 2, limit);  // @line round.clamp
  return clamped / 5 * 5;
}
