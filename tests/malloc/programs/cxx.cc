// SPDX-License-Identifier: LGPL-2.1-or-later
//
// cxx.cc -- all forms of new and delete, exceptions, a new-handler.
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "cases.h"

static volatile size_t huge = SIZE_MAX / 2 - 4096;

static void demand(bool condition)
{
  if (!condition)
    _Exit(99);
}

// What the library itself allocates.
CASE(nothing) {}

// 1 + 2 + ... + 128
CASE(all_new)
{
  const std::align_val_t al{64};
  kept[0] = ::operator new(1);
  kept[1] = ::operator new[](2);
  kept[2] = ::operator new(4, std::nothrow);
  kept[3] = ::operator new[](8, std::nothrow);
  kept[4] = ::operator new(16, al);
  kept[5] = ::operator new[](32, al);
  kept[6] = ::operator new(64, al, std::nothrow);
  kept[7] = ::operator new[](128, al, std::nothrow);
  for (int i = 4; i < 8; i++)
    demand(reinterpret_cast<uintptr_t>(kept[i]) % 64 == 0);
}

CASE(all_delete)
{
  const std::align_val_t al{64};
  void *p[12];
  for (int i = 0; i < 6; i++)
    p[i] = ::operator new(100);
  for (int i = 6; i < 12; i++)
    p[i] = ::operator new(100, al);
  ::operator delete(p[0]);
  ::operator delete[](p[1]);
  ::operator delete(p[2], std::nothrow);
  ::operator delete[](p[3], std::nothrow);
  ::operator delete(p[4], 100);
  ::operator delete[](p[5], 100);
  ::operator delete(p[6], al);
  ::operator delete[](p[7], al);
  ::operator delete(p[8], 100, al);
  ::operator delete[](p[9], 100, al);
  ::operator delete(p[10], al, std::nothrow);
  ::operator delete[](p[11], al, std::nothrow);
  ::operator delete(nullptr);
}

struct Guard {
  char *p;
  Guard() : p(new char[48]) {}
  ~Guard() { delete[] p; }
};

static int __attribute__((noinline)) dive(int n)
{
  Guard g;
  g.p[0] = static_cast<char>(n);
  if (n == 0)
    throw 1;
  return dive(n - 1) + g.p[0];
}

// 20 times 11 objects of 48 bytes, and 132 for the exception: 4 and the
// header that the C++ ABI library puts before it
CASE(exceptions)
{
  for (int i = 0; i < 20; i++)
    try {
      dive(10);
      demand(false);
    } catch (int n) {
      demand(n == 1);
    }
  kept[0] = malloc(7);
}

static void *reserve;
static int handled;

static void handler()
{
  kept[handled] = malloc(11);
  if (++handled == 3)
    throw std::bad_alloc(); // 8 + 128
}

// Objects of the handler are the program's, those of a failed request none.
CASE(new_handler)
{
  demand(std::get_new_handler() == nullptr);
  demand(std::set_new_handler(handler) == nullptr);
  demand(std::get_new_handler() == handler);
  try {
    kept[10] = ::operator new(huge);
    demand(false);
  } catch (std::bad_alloc &) {
  }
  demand(handled == 3);
  demand(std::set_new_handler(nullptr) == handler);
  kept[11] = malloc(5); // counts: nothing is left open
}

// The library tries it with the other operator, and catches the exception.
CASE(nothrow)
{
  demand(::operator new(huge, std::nothrow) == nullptr);
}

// 40 objects of one size from a vector that doubles: 1, 2, ... 64 ints
CASE(containers)
{
  std::vector<int> v;
  for (int i = 0; i < 40; i++)
    v.push_back(i);
  std::string s(100, 'x'); // 101
  demand(s.size() == 100 && v.size() == 40);
}

// ---- names ----

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

__attribute__((noinline)) void
fill(std::vector<int> &to)
{
  to.reserve(25);
}

template <class T>
__attribute__((noinline)) std::vector<T>
made(std::size_t count)
{
  return std::vector<T>(count);
}
}

// A function with a long name allocates, and another one, whose name has
// brackets that are no template's.
CASE(long_names)
{
  app::bag bag;
  std::string text;
  kept[0] = app::keep<std::string>(text);
  kept[1] = bag << text;
}

// Functions of the program that allocate by the C++ library, and one that the
// library calls.
CASE(runtime)
{
  std::vector<int> numbers;
  std::vector<char> bytes;
  const std::function<void()> reserve = [&bytes] { bytes.reserve(33); };
  app::fill(numbers);
  app::made<double>(10);
  reserve();
  delete new long;
}

RUN_CASES
