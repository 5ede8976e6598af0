// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A function of C++ with a long name allocates, and another one, whose name
// has brackets that are no template's.
#include <cstdlib>
#include <string>

namespace app
{
struct bag {
  int n = 0;
};

template <class T>
__attribute__((noinline)) void *
keep(const T &)
{
  return malloc(77);
}

__attribute__((noinline)) void *
operator<<(bag &, const std::string &)
{
  return malloc(55);
}
}

void *volatile kept[2];

int
main()
{
  app::bag bag;
  std::string text;
  kept[0] = app::keep<std::string>(text);
  kept[1] = bag << text;
}
