const assert = require("node:assert");
const { gross, net } = require("../lib/vat");

describe("net", () => {
  it("takes the tax off", () => {
    assert.strictEqual(net(119, 0.19), 100);
  });
});

describe.only("gross", () => {
  it("rounds half up", () => {
    assert.strictEqual(gross(1.005, 0), 1.01);
  });
});
