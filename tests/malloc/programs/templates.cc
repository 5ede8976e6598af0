/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * templates.cc -- what a compiler of C++ inlines: templates, members,
 * operators, lambdas.
 */
#include <cstdlib>
#include <vector>

#define INSIDE inline __attribute__((always_inline))
#define APART __attribute__((noinline, noclone))

static void *volatile kept;

namespace shop {

template <typename T>
INSIDE void
take(int count)
{
  kept = std::malloc(sizeof(T) * count);
}

template <typename T> class Basket {
public:
  explicit Basket(int size) { fill(size); }
  INSIDE void
  fill(int size)
  {
    take<T>(size);
    take<char>(size);
  }
};

APART void
open()
{
  Basket<int> first(25);
  Basket<double> second(25);
  auto lambda = [](int n) { take<short>(n); };
  lambda(50);
}

} /* namespace shop */

APART static void
numbers()
{
  std::vector<int> v;
  v.reserve(11);
  v.push_back(1);
  kept = &v[0];
}

/* Inlined once, and called by its address. */
static void
either()
{
  kept = std::malloc(7);
}

static void (*volatile by_address)() = either;

int
main()
{
  either();
  by_address();
  shop::open();
  numbers();
  return 0;
}
