export type Product = { id: string; name: string; updatedAt: string };
export type Page = { status: number; headers: Record<string, string>; body: string };

export function productPage(product: Product): Page {
  return { status: 200, headers: {}, body: `<h1>${product.name}</h1>` };
}
