export type Product = { id: string; name: string; updatedAt: string };
export type Page = { status: number; headers: Record<string, string>; body: string };

export function productPage(product: Product, ifNoneMatch?: string): Page {
  const etag = `"${product.id}-${Date.parse(product.updatedAt)}"`;
  if (ifNoneMatch === etag) {
    return { status: 304, headers: { ETag: etag }, body: "" };
  }
  return { status: 200, headers: { ETag: etag }, body: `<h1>${product.name}</h1>` };
}
