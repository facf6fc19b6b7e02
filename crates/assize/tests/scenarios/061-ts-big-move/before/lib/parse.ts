export type Pair = { key: string; value: string };

// TODO: support quoted values
export function parse(text: string): Pair[] {
  try {
    return text.split(";").map((part) => {
      const [key, value] = part.split("=");
      return { key: key.trim(), value: value.trim() };
    });
  } catch {}
  return [];
}
