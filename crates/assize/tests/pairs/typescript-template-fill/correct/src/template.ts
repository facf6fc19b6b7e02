/** Puts `values` in the place of `{{name}}`. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{([^{}]+)\}\}/g, (placeholder: string, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  );
}
