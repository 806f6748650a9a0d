#include "OrchardKit.h"

volatile int ok_last_failure;

void ok_fail(const char *reason, int code) {
  ok_last_failure = code;
  __builtin_trap();  // @line fail.trap
}
