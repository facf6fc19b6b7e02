#include <cassert>

#include "../src/ring.h"

int main() {
  Ring ring;
  ring.push(1);
  assert(ring.pop() == 1);
}
