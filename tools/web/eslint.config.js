// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["built/", "node_modules/", "*.mjs", "test/*.mjs", "eslint.config.js"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": "off",
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_" }],
      "max-lines": ["error", { max: 400 }],
      "max-len": ["error", { code: 100, ignoreRegExpLiterals: true, ignoreTemplateLiterals: true }],
      // Names of kernels and ranges are hostile text: they become text nodes alone.
      "no-restricted-properties": [
        "error",
        { property: "innerHTML" },
        { property: "outerHTML" },
        { property: "insertAdjacentHTML" },
        { property: "dangerouslySetInnerHTML" },
        { object: "document", property: "write" },
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "hostile text" },
      ],
      "no-eval": "error",
    },
  },
  {
    // Loops over typed arrays, for each frame: an index in bounds needs no check.
    files: ["src/canvas/**"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
);
