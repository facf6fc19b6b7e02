import { useEffect, useState } from "react";

type Props = { onSearch: (query: string) => void };

export function SearchBox({ onSearch }: Props) {
  const [query, setQuery] = useState("");

  useEffect(() => {
    onSearch(query);
  }, [query, onSearch]);

  return (
    <input
      type="search"
      placeholder="Search the catalogue"
      value={query}
      onChange={(event) => setQuery(event.target.value)}
    />
  );
}
