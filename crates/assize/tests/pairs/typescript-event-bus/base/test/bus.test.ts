import { expect, test } from "vitest";
import { EventBus } from "../src/bus.js";

interface Events {
  saved: { path: string };
  closed: undefined;
  "größe geändert": number;
}

test("handlers get the payload", () => {
  const bus = new EventBus<Events>();
  const paths: string[] = [];
  bus.on("saved", (event) => paths.push(event.path));
  expect(bus.emit("saved", { path: "a.txt" })).toBe(1);
  expect(paths).toEqual(["a.txt"]);
});

test("handlers are called in order", () => {
  const bus = new EventBus<Events>();
  const calls: number[] = [];
  bus.on("closed", () => calls.push(1));
  bus.on("closed", () => calls.push(2));
  expect(bus.emit("closed", undefined)).toBe(2);
  expect(calls).toEqual([1, 2]);
});

test("removed handlers are not called", () => {
  const bus = new EventBus<Events>();
  const calls: string[] = [];
  const remove = bus.on("closed", () => calls.push("removed"));
  bus.on("closed", () => calls.push("kept"));
  remove();
  bus.emit("closed", undefined);
  expect(calls).toEqual(["kept"]);
});

test("edge: no handlers", () => {
  expect(new EventBus<Events>().emit("closed", undefined)).toBe(0);
});

test("edge: removing twice does nothing", () => {
  const bus = new EventBus<Events>();
  const remove = bus.on("closed", () => {});
  bus.on("closed", () => {});
  remove();
  remove();
  expect(bus.emit("closed", undefined)).toBe(1);
});

test("edge: handler added during emit", () => {
  const bus = new EventBus<Events>();
  bus.on("closed", () => bus.on("closed", () => {}));
  expect(bus.emit("closed", undefined)).toBe(1);
  expect(bus.emit("closed", undefined)).toBe(2);
});

test("edge: unicode name and zero as payload", () => {
  const bus = new EventBus<Events>();
  const sizes: number[] = [];
  bus.on("größe geändert", (size) => sizes.push(size));
  bus.emit("größe geändert", 0);
  expect(sizes).toEqual([0]);
});
