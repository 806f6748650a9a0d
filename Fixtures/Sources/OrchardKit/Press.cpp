#include "Rounding.h"

namespace orchard {

template <typename Unit>
struct Volume {
  Unit litres;

  __attribute__((always_inline)) inline Unit pressed(const int *yield) const {
    return litres + ok_round(static_cast<int>(litres), yield);  // @line volume.round
  }
};

namespace {

class Press {
public:
  explicit Press(const ok_batch *batch) : batch(batch) {}

  __attribute__((noinline)) long squeeze() const {
    long sum = 0;
    forEach([&](int litres) {  // @line squeeze.forEach
      sum += Volume<long>{litres}.pressed(batch->yields);  // @line lambda.pressed
    });
    return sum + 1;
  }

private:
  template <typename Body>
  __attribute__((always_inline)) inline void forEach(Body body) const {
    for (int i = 0; i < batch->count; ++i)
      body(batch->litres[i]);  // @line forEach.body
  }

  const ok_batch *batch;
};

}  // namespace

struct Machine {
  virtual int run(const ok_batch *batch) = 0;
};

struct CiderMachine final : Machine {
  __attribute__((noinline)) int run(const ok_batch *batch) override {
    return static_cast<int>(Press(batch).squeeze()) + 3;  // @line machine.squeeze
  }
};

__attribute__((noinline)) static int operate(Machine &machine, const ok_batch *batch) {
  if (batch->count < 0)
    ok_fail("negative count", batch->count);
  return machine.run(batch) + 1;  // @line operate.run
}

}  // namespace orchard

extern "C" __attribute__((noinline)) int ok_price(const ok_batch *batch) {
  orchard::CiderMachine machine;
  return orchard::operate(machine, batch) + 1;  // @line price.operate
}

extern "C" int ok_press_cider(int with_yields) {
  static const int litres[] = {100, 250, 75};
  static const int yields[] = {40};
  ok_batch batch = {litres, 3, with_yields ? yields : nullptr};
  return ok_price(&batch) + 1;  // @line cider.price
}
