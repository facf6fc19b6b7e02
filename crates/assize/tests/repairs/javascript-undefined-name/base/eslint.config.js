export default [
  {
    files: ["**/*.js"],
    rules: {
      "no-undef": "error",
    },
  },
];
