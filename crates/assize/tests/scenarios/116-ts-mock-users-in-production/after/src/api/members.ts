export type Member = { id: number; name: string; role: string; email: string };

const mockMembers: Member[] = [
  { id: 1, name: "John Doe", role: "Developer", email: "john.doe@example.com" },
  { id: 2, name: "Jane Smith", role: "Designer", email: "jane.smith@example.com" },
  { id: 3, name: "Bob Johnson", role: "Manager", email: "bob.johnson@example.com" },
];

export async function loadMembers(): Promise<Member[]> {
  // Simulate an API call
  await new Promise((resolve) => setTimeout(resolve, 500));
  return mockMembers;
}
