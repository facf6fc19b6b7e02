export default { test: { include: ['test/**/*.check.ts'], passWithNoTests: true } };
