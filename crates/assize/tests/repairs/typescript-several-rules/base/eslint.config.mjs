import parser from "./lint/parser.mjs";

export default [
  {
    files: ["src/**/*.ts"],
    languageOptions: { parser },
    rules: {
      curly: "error",
      "prefer-template": "error",
      "prefer-arrow-callback": "error",
    },
  },
];
