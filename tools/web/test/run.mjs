// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Bundles the tests of a folder and runs them with node's own runner.
//
// usage: node test/run.mjs unit|reports|browser [NAME...]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [folder = "unit", ...names] = process.argv.slice(2);
const files = readdirSync(join(here, folder))
  .filter((file) => /\.test\.tsx?$/.test(file))
  .filter((file) => names.length === 0 || names.some((name) => file.includes(name)));
if (files.length === 0) {
  console.error(`no test in test/${folder} is named so: ${names.join(" ")}`);
  process.exit(2);
}
// Inside of the package, so that packages are found.
const output = mkdtempSync(join(here, "..", "node_modules", ".tests-"));
try {
  await build({
    entryPoints: files.map((file) => join(here, folder, file)),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    packages: "external",
    outdir: output,
    outExtension: { ".js": ".mjs" },
    jsx: "automatic",
    jsxImportSource: "preact",
    sourcemap: "inline",
  });
  const bundles = files.map((file) => join(output, file.replace(/\.tsx?$/, ".mjs")));
  const words = ["--enable-source-maps", "--test", ...bundles];
  const { status, stdout } = spawnSync(process.execPath, words, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.exitCode = status ?? 1;
  const passed = /^(?:#|ℹ) pass (\d+)$/m.exec(stdout)?.[1];
  console.log(status === 0 ? `${folder} tests: ${passed} passed` : stdout);
} finally {
  rmSync(output, { recursive: true, force: true });
}
