const assert = require("node:assert");
const { net } = require("../lib/vat");

describe("net", () => {
  it("takes the tax off", () => {
    assert.strictEqual(net(119, 0.19), 100);
  });
});
