import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useDebouncedValue } from "./useDebouncedValue";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("keeps the old value until the delay has passed", () => {
  const { result, rerender } = renderHook(({ value }) => useDebouncedValue(value, 300), { initialProps: { value: "a" } });
  rerender({ value: "ab" });
  act(() => void vi.advanceTimersByTime(299));
  expect(result.current).toBe("a");
  act(() => void vi.advanceTimersByTime(1));
  expect(result.current).toBe("ab");
});

it("starts over with each change", () => {
  const { result, rerender } = renderHook(({ value }) => useDebouncedValue(value, 300), { initialProps: { value: "a" } });
  rerender({ value: "ab" });
  act(() => void vi.advanceTimersByTime(200));
  rerender({ value: "abc" });
  act(() => void vi.advanceTimersByTime(200));
  expect(result.current).toBe("a");
});
