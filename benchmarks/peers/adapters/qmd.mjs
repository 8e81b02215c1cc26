// qmd by its library: what it finds by words (BM25). Its models are downloaded from a hub when first used, so that search by
// meaning is left out. The same commands and lines of JSON as workers/run.py.

import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [command, ...rest] = process.argv.slice(2);
const given = {};
for (let at = 0; at < rest.length; at += 2) given[rest[at].slice(2)] = rest[at + 1];
const tell = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const timed = async (action) => {
  const begun = performance.now();
  const value = await action();
  return [value, (performance.now() - begun) / 1000];
};

const library = join(process.env.PEER_ENVIRONMENT, "node_modules/@tobilu/qmd/dist/index.js");
const { createStore, extractSnippet } = await import(pathToFileURL(library));
mkdirSync(given.store, { recursive: true });
const store = await createStore({
  dbPath: join(given.store, "qmd.sqlite"),
  config: { collections: { docs: { path: given.docs, pattern: "**/*.md" } } },
});
// it writes paths in a form of its own
const plain = (path) => path.toLowerCase().replace(/[^\p{L}\p{N}$]+/gu, "-").replace(/^-|-$/g, "");
let names;

async function query(question, limit) {
  names ??= new Map(
    readdirSync(given.docs, { recursive: true }).filter((path) => path.endsWith(".md")).map((path) => [plain(path), path]),
  );
  const hits = await store.searchLex(question, { limit });
  return hits.map((hit) => {
    const path = names.get(plain(hit.displayPath.replace(/^docs\//, ""))) ?? hit.displayPath;
    return { path, text: "", line: extractSnippet(hit.body ?? "", question).line };
  });
}

async function answer(asked) {
  if (asked.do === "update") return { s: (await timed(() => store.update()))[1] };
  const [found, s] = await timed(() => query(asked.question, asked.limit ?? 10));
  return { s, found };
}

if (command === "index" || command === "update") {
  tell({ call_s: (await timed(() => store.update()))[1] });
} else {
  tell({ modes: ["words"] });
  for await (const line of createInterface({ input: process.stdin })) tell(await answer(JSON.parse(line)));
}
const peak = /VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "ascii"));
tell({ peak_mb: (Number(peak?.[1] ?? 0) * 1024) / 1e6 });
await store.close();
