import { useEffect, useState } from "react";
import { loadMembers, type Member } from "./api/members";

export function TeamPage() {
  const [members, setMembers] = useState<Member[] | null>(null);

  useEffect(() => {
    void loadMembers().then(setMembers);
  }, []);

  if (!members) return <p>Loading…</p>;
  return (
    <table>
      <tbody>
        {members.map((member) => (
          <tr key={member.id}>
            <td>{member.name}</td>
            <td>{member.role}</td>
            <td>{member.email}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
