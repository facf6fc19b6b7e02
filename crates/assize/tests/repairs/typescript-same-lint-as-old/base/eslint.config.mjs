import parser from "./lint/parser.mjs";

export default [
  {
    files: ["src/**/*.ts"],
    languageOptions: { parser },
    rules: {
      "prefer-const": "error",
      "operator-assignment": "error",
    },
  },
];
