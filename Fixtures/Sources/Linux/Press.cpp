// The C++ part of the Linux programs. Its argument chooses how it stops.

#include <algorithm>
#include <cstdio>
#include <vector>

namespace orchard {

struct Pipe {
  int litres;
  const Pipe *next;
};

template <typename Part>
struct Line {
  const Part *first;

  __attribute__((always_inline)) inline int litres(int position) const {
    const Part *part = first;
    while (position-- > 0)
      part = part->next;
    return *(const volatile int *)&part->litres;  // @line pipe.load
  }
};

__attribute__((always_inline)) inline int doubled(const Line<Pipe> &line, int position) {
  return line.litres(position) * 2;  // @line doubled.litres
}

__attribute__((noinline)) int measure(const Line<Pipe> &line, const std::vector<int> &positions) {
  int sum = 0;
  for (int position : positions)
    sum += doubled(line, position);  // @line measure.doubled
  return sum + 1;
}

// Cold, and never returns, so gcc moves the code that calls it away from the rest of its function.
__attribute__((noinline, cold, noreturn)) void burst(int pressure) {
  std::printf("pressure %d\n", pressure);
  __builtin_trap();  // @line burst.trap
}

__attribute__((noinline)) int regulate(int pressure) {
  if (pressure > 1) {
    std::printf("%d is too much\n", pressure);
    burst(pressure);  // @line regulate.burst
  }
  return pressure * 3;
}

__attribute__((noinline)) int litres_of_apples(const Pipe *pipe) {
  return pipe->litres * 31 + 7;  // @line apples.load
}

__attribute__((noinline)) int litres_of_pears(const Pipe *pipe) {
  return pipe->litres * 31 + 7;  // @line pears.load
}

__attribute__((noinline)) int press(int arguments) {
  const Pipe last = {2, nullptr}, first = {1, &last};
  const Line<Pipe> line = {&first};
  const std::vector<int> positions = {0, 1, 2};
  if (arguments == 1)
    return measure(line, positions) + 1;  // @line press.measure
  if (arguments == 2)
    return regulate(arguments) + 1;  // @line press.regulate
  const Pipe *volatile nothing = nullptr;
  return litres_of_apples(&first) + litres_of_pears(nothing) + 1;  // @line press.pears
}

}  // namespace orchard

int main(int arguments, char **) {
  int litres = orchard::press(arguments);  // @line cppMain.press
  std::printf("%d\n", litres);
  return litres;
}
