#include <iostream>

#include "ring.h"

int main() {
  Ring ring;
  for (int i = 0; i < 6; ++i) ring.push(i);

  while (!ring.empty()) std::cout << ring.pop() << '\n';
}
