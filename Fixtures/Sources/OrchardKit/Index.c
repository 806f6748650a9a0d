// Work for the hang. The functions that a sample can find at the top are on one line each, so every
// one of their instructions has the same true line.

#include "OrchardKit.h"

extern long write(int file, const void *bytes, unsigned long count);
static volatile unsigned salt = 17;
static const int weights[] = {3, 1, 4, 1, 5, 9, 2, 6};

// clang-format off
static __attribute__((noinline)) unsigned mix(unsigned hash, int weight) { for (int i = 0; i < 40; i++) hash = (hash ^ (unsigned)weight) * 16777619u + salt; return hash; }  // @line mix.loop
static __attribute__((noinline)) unsigned fold(unsigned hash) { for (int i = 0; i < 30; i++) hash = (hash >> 1) ^ (hash << 3) ^ salt; return hash; }  // @line fold.loop
// clang-format on

static inline __attribute__((always_inline)) unsigned hash_weight(unsigned hash, int weight) {
  return mix(hash, weight) + 1;  // @line weight.mix
}

static __attribute__((noinline)) unsigned hash_row(int row) {
  unsigned hash = 2166136261u + (unsigned)row;
  for (int i = 0; i < 8; i++)
    hash ^= hash_weight(hash, weights[i]);  // @line row.weight
  return hash;
}

static __attribute__((noinline)) unsigned balance(unsigned hash, int depth) {
  if (depth == 0)
    return fold(hash) + 1;  // @line balance.fold
  return balance(hash + 1, depth - 1) * 3 + salt;  // @line balance.again
}

static __attribute__((noinline)) int store(unsigned hash) {
  return (int)write(3, &hash, sizeof hash) + 1;  // @line store.write
}

int ok_rebuild_index(int rows) {
  unsigned sum = 0;
  for (int row = 0; row < rows; row++) {
    sum += hash_row(row);  // @line rebuild.row
    sum += balance(sum, 2);  // @line rebuild.balance
    sum += (unsigned)store(sum);  // @line rebuild.store
  }
  return (int)sum;
}
