// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Functions of the program that allocate by the C++ library, and one that the
// library calls.
#include <functional>
#include <vector>

namespace app
{
void
fill(std::vector<int> &to)
{
  to.reserve(25);
}

template <class T>
std::vector<T>
made(std::size_t count)
{
  return std::vector<T>(count);
}
}

int
main()
{
  std::vector<int> numbers;
  std::vector<char> bytes;
  const std::function<void()> reserve = [&bytes] { bytes.reserve(33); };
  app::fill(numbers);
  app::made<double>(10);
  reserve();
  delete new long;
}
