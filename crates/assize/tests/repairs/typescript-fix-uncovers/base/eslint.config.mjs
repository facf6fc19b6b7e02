import parser from "./lint/parser.mjs";

export default [
  {
    files: ["src/**/*.ts"],
    languageOptions: { parser },
    rules: {
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
