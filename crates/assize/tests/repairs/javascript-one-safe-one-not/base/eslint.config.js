export default [
  {
    files: ["**/*.js"],
    rules: {
      eqeqeq: "error",
    },
  },
];
