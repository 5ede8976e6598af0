// SPDX-License-Identifier: LGPL-2.1-or-later

// Functions of C++ that differ in their parameters alone, in namespaces and
// classes.

namespace shop {

struct Item {
  double price[3];
};

namespace {

Item *
item(int)
{
  return new Item;
}

Item *
item(double)
{
  return new Item;
}

} // namespace

class Basket {
public:
  explicit Basket(int n)
    : items(new Item *[n])
  {
  }
  void fill(int n);

private:
  Item **items;
};

void
Basket::fill(int n)
{
  for (int i = 0; i < n; i++)
    items[i] = i % 2 == 0 ? item(i) : item(0.5 * i);
}

} // namespace shop

int
main()
{
  shop::Basket basket(5);
  basket.fill(5);
  return 0;
}
