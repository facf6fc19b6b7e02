#!/bin/sh
# A bidder that plans more, with tests, and implements it right.
set -eu
case "$1" in
bid)
    cat <<'BID'
{
  "approach": "The discount is taken off each item, so that a cart of many different items costs what it did.",
  "pseudo_code": "price(item, n) = full - full // 10 if n >= 10 else full\ntotal = sum(price(line) for line in lines)",
  "changes": [
    {
      "path": "shop/cart.py",
      "kind": "edit",
      "brief": "A price for each item.",
      "requirements": ["req_1", "req_1.1", "req_1.2"]
    },
    {
      "path": "tests/test_discount.py",
      "kind": "add",
      "brief": "Tests of nine, ten and eleven pieces.",
      "requirements": ["req_1", "req_1.1", "req_1.2"]
    }
  ],
  "estimated_lines": 31,
  "risk": "The discount applies to each item alone.",
  "success_probability": 0.9
}
BID
    ;;
implement) git apply "$2" ;;
esac
