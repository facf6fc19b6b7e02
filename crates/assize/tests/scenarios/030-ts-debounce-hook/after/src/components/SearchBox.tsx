import { useEffect, useState } from "react";
import { useDebouncedValue } from "../hooks/useDebouncedValue";

type Props = { onSearch: (query: string) => void };

const SEARCH_DELAY_MS = 300;

export function SearchBox({ onSearch }: Props) {
  const [query, setQuery] = useState("");
  const settled = useDebouncedValue(query, SEARCH_DELAY_MS);

  useEffect(() => {
    onSearch(settled);
  }, [settled, onSearch]);

  return (
    <input
      type="search"
      placeholder="Search the catalogue"
      value={query}
      onChange={(event) => setQuery(event.target.value)}
    />
  );
}
