import parser from "./lint/parser.mjs";

export default [
  {
    files: ["src/**/*.ts"],
    languageOptions: { parser },
    rules: {
      "object-shorthand": "error",
      "dot-notation": "error",
    },
  },
];
