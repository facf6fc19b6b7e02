export default [
  {
    files: ["**/*.js"],
    rules: {
      "object-shorthand": "error",
      "prefer-template": "error",
    },
  },
];
