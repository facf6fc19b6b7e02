export type FakeRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  user: { id: number; name: string; email: string } | null;
  body: unknown;
};

/** Builds a request for tests. */
export function mockRequest(overrides: Partial<FakeRequest> = {}): FakeRequest {
  const mockUser = { id: 1, name: "John Doe", email: "john@example.com" };
  return { method: "GET", path: "/", headers: {}, user: mockUser, body: null, ...overrides };
}
