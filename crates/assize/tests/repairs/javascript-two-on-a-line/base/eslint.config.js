export default [
  {
    files: ["**/*.js"],
    rules: {
      "object-shorthand": "error",
      "no-extra-boolean-cast": "error",
      "yoda": "error",
      "no-extra-semi": "error",
    },
  },
];
