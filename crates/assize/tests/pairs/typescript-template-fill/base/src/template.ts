/** Puts `values` in the place of `{{name}}`. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  let text = template;
  for (const [name, value] of Object.entries(values)) {
    const placeholder = `{{${name}}}`;
    for (let at = text.indexOf(placeholder); at >= 0; at = text.indexOf(placeholder)) {
      text = text.slice(0, at) + value + text.slice(at + placeholder.length);
    }
  }
  return text;
}
