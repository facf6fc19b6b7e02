import { Card } from "./Card";

type Props = { items: string[]; title?: string };

export function List({ items, title }: Props) {
  return (
    <Card style={{ overflowY: "auto" }}>
      {title && <h2>{title}</h2>}
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
  );
}
