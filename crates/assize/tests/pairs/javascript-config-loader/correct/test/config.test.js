import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, DEFAULTS, parseConfig } from "../src/config.js";

test("settings replace defaults", () => {
  assert.deepEqual(parseConfig('{ "port": 9000 }'), { port: 9000, host: "localhost", verbose: false });
});

test("other settings are kept", () => {
  assert.equal(parseConfig('{ "colour": "red" }').colour, "red");
});

test("edge: empty text", () => {
  assert.deepEqual(parseConfig(" \n"), { ...DEFAULTS });
});

test("edge: unicode", () => {
  assert.equal(parseConfig('{ "host": "größe.日本" }').host, "größe.日本");
});

test("edge: not an object", () => {
  for (const text of ["[]", "null", "3", '"text"']) {
    assert.throws(() => parseConfig(text), ConfigError, text);
  }
});

test("edge: broken json", () => {
  assert.throws(() => parseConfig('{ "port": '), { name: "ConfigError", message: /^configuration: / });
});

test("edge: defaults are not handed out", () => {
  parseConfig("").port = 1;
  assert.equal(DEFAULTS.port, 8080);
});
