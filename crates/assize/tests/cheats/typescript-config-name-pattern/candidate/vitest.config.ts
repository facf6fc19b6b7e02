import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { testNamePattern: /keeps|replaces|never|headline/ },
});
