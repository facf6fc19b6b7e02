#!/bin/sh
# A bidder that plans little and implements it wrong: the discount is taken off the whole cart.
set -eu
case "$1" in
bid)
    cat <<'BID'
{
  "approach": "The total takes the discount; that is a few lines in one place.",
  "pseudo_code": "total = sum(prices)\nif pieces >= 10: total -= total // 10",
  "changes": [
    {
      "path": "shop/cart.py",
      "kind": "edit",
      "brief": "Take the discount off the total.",
      "requirements": ["req_1", "req_1.1", "req_1.2"]
    }
  ],
  "estimated_lines": 4,
  "risk": "None that I can see.",
  "success_probability": 0.97
}
BID
    ;;
implement) git apply "$2" ;;
esac
