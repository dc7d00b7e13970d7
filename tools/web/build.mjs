// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds built/page.html: code and styles in one page, allowed by their hashes alone. The data
// comes later, from prof-report --html, where the page has the markers <!--prof:title-->,
// <!--prof:first--> and <!--prof:rest-->.
//
// usage: node build.mjs [OUTPUT]
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const MOST_BYTES = 200_000;

async function bundled(entry) {
  const result = await build({
    entryPoints: [`${here}/src/${entry}`],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022", "chrome100", "firefox100", "safari16"],
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "ascii",
    legalComments: "none",
  });
  return result.outputFiles[0].text.trim();
}

function hash(text) {
  return "sha256-" + createHash("sha256").update(text).digest("base64");
}

const code = await bundled("main.tsx");
const style = await bundled("styles.css");
if (/<\/script|<!--/i.test(code)) throw new Error("the code would end its script element");
const parts = {
  CODE: code,
  STYLE: style,
  CODE_HASH: hash(code),
  STYLE_HASH: hash(style),
};
const page = readFileSync(`${here}/src/page.html`, "utf8").replace(
  /@([A-Z_]+)@/g,
  (_, name) => parts[name],
);
for (const marker of ["title", "first", "rest"]) {
  const count = page.split(`<!--prof:${marker}-->`).length - 1;
  if (count !== 1) throw new Error(`the marker ${marker} is there ${count} times`);
}
if (page.length > MOST_BYTES) throw new Error(`${page.length} bytes, more than ${MOST_BYTES}`);
const output = process.argv[2] ?? `${here}/built/page.html`;
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}: ${page.length} bytes`);
