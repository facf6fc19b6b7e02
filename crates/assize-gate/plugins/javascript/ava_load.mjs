// Has AVA's reporter listened to where it is imported; see `ava.cjs`.

const ours = JSON.stringify(new URL('./ava.cjs', import.meta.url).href);

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== 'module' || !/\/ava\/lib\/reporters\/tap\.js$/.test(url)) return loaded;
  return { ...loaded, source: `${loaded.source}\nimport assizeListener from ${ours};\nassizeListener.listen(TapReporter);\n` };
}
