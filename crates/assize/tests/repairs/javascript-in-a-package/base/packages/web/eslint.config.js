export default [
  {
    files: ["**/*.js"],
    rules: {
      "no-useless-rename": "error",
      "operator-assignment": "error",
    },
  },
];
