export default [
  {
    files: ["**/*.js"],
    rules: {
      "prefer-const": "error",
      semi: ["error", "always"],
      quotes: ["error", "double"],
    },
  },
];
