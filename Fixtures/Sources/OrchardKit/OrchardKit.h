#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// What the app calls; one function a scenario.
int ok_press_cider(int with_yields);
int ok_label_crate(int grams);
int ok_read_recipe(int depth);
int ok_decode_tag(void);
int ok_sort_rows(void);
int ok_shrink_prices(void);
int ok_audit_rows(void);
int ok_audit_bushes(void);
int ok_descend(void);
int ok_rebuild_index(int rows);

// Stops the app. Nothing follows a call of it, so its return address can lie in the next function.
__attribute__((cold, noinline, noreturn)) void ok_fail(const char *reason, int code);

typedef struct {
  const int *litres;
  int count;
  const int *yields;
} ok_batch;

int ok_price(const ok_batch *batch);

#ifdef __cplusplus
}
#endif
