import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { StoragePanel } from "./StoragePanel";

it("shows both numbers", () => {
  render(<StoragePanel used={2.5e9} total={10e9} />);
  expect(screen.getByText("2.5 GB of 10.0 GB used")).toBeDefined();
});
