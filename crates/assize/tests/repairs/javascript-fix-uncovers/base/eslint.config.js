export default [
  {
    files: ["**/*.js"],
    rules: {
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
