// Has AVA's reporter listened to where it is imported; see `ava.cjs`.

const ours = JSON.stringify(new URL('./ava.cjs', import.meta.url).href);
const ADDED = [
  [/\/ava\/lib\/reporters\/tap\.js$/, 'listen(TapReporter)'],
  [/\/ava\/lib\/api\.js$/, 'settle(Api)'],
];

export async function load(url, context, next) {
  const loaded = await next(url, context);
  const added = ADDED.find(([place]) => place.test(url));
  if (loaded.format !== 'module' || !added) return loaded;
  return { ...loaded, source: `${loaded.source}\nimport assizeListener from ${ours};\nassizeListener.${added[1]};\n` };
}
