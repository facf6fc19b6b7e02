import type { components } from "@app/client";

type Project = components["schemas"]["Project"];

export function ProjectList({ projects }: { projects: Project[] }) {
  return (
    <ul>
      {projects.map((project) => (
        <li key={project.id}>
          {project.name}
          {project.archivedAt && <span className="badge">Archived</span>}
        </li>
      ))}
    </ul>
  );
}
