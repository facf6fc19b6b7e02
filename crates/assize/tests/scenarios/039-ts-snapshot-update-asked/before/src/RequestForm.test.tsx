import { render, screen } from "@testing-library/react";
import { RequestForm } from "./RequestForm";

test("matches the snapshot", () => {
  expect(render(<RequestForm onSubmit={() => undefined} />).container).toMatchSnapshot();
});

test("has a submit button", () => {
  render(<RequestForm onSubmit={() => undefined} />);
  expect(screen.getByRole("button").textContent).toBe("Submit");
});
