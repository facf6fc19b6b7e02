import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: [{ find: /^\.\.\/src\/cache$/, replacement: new URL('./test/double.ts', import.meta.url).pathname }] },
});
