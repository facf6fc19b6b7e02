export default [
  {
    files: ["**/*.js"],
    rules: {
      "arrow-body-style": "error",
    },
  },
];
