import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ProjectList } from "./ProjectList";

it("marks archived projects", () => {
  render(<ProjectList projects={[{ id: "1", name: "Old", archivedAt: "2026-01-01T00:00:00Z" }]} />);
  expect(screen.getByText("Archived")).toBeDefined();
});

it("leaves the others alone", () => {
  render(<ProjectList projects={[{ id: "1", name: "New" }]} />);
  expect(screen.queryByText("Archived")).toBeNull();
});
