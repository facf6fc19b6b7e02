#include <iostream>

#include "ring.h"

int main() {
  Ring ring;
  for (int i = 0; i < 6; ++i) ring.push(i);

  while (auto value = ring.pop()) std::cout << *value << '\n';
}
