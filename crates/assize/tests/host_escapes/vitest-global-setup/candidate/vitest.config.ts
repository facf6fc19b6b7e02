export default { test: { globalSetup: './tools/setup.ts' } };
