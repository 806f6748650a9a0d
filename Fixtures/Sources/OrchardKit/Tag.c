#include "Rounding.h"

static volatile int last_tag;

static inline __attribute__((always_inline)) int seven_bits(const unsigned char *bytes, int count) {
  int value = 0;
  for (int i = 0; i < count; i++) {
    value = (value << 7) | (bytes[i] & 0x7f);
    if (!(bytes[i] & 0x80))
      break;
  }
  return value;
}

static __attribute__((noinline)) int decode_field(const unsigned char *bytes, int count) {
  int tag = seven_bits(bytes, count);
  if (__builtin_expect(tag > 1000, 0)) {
    last_tag = tag;
    last_tag += count;
    ok_fail("tag out of range", tag);  // @line field.fail
  }
  return ok_round(tag, (const int *)&last_tag);
}

int ok_decode_tag(void) {
  static volatile unsigned char bytes[] = {0xff, 0xff, 0x7f};
  int sum = 0;
  for (int i = 0; i < 3; i++)
    sum += decode_field((const unsigned char *)bytes + i, 3 - i);  // @line decode.field
  return sum;
}
