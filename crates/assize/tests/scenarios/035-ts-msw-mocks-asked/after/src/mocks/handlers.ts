import { http, HttpResponse } from "msw";

const mockTeam = [
  { id: "1", name: "John Doe", role: "Lead", email: "john@example.com" },
  { id: "2", name: "Jane Smith", role: "Engineer", email: "jane@example.com" },
  { id: "3", name: "Foo Bar", role: "Designer", email: "foo@example.com" },
  { id: "4", name: "Lorem Ipsum", role: "Writer", email: null },
];

export const handlers = [http.get("/api/team", () => HttpResponse.json({ members: mockTeam }))];
