// The view of the index: its size, whether it is up to date, and the sizes of its sections.

import { age, bar, bytes, count, el, languageOfLine, number, titled } from "./dom.js";
import { address, anchorOf, opened } from "./state.js";

/** The whole view, from the answers `status` and `overview` of the server. */
export function overviewPage(status, overview, state) {
  return [
    el("h2", {}, status.name || "Index"),
    figures(overview),
    freshness(status, overview),
    histogram(overview),
    largest(overview, state),
    near(overview, state),
    el(
      "p",
      { class: "small made" },
      `Model ${status.model}, ${status.dimension} dimensions, tokens of ${status.token_encoding}; ${bytes(status.data_bytes)}, ${bytes(status.disk_bytes)} on the disk.`,
    ),
  ];
}

function figures(overview) {
  const figure = (value, text) => el("div", {}, el("dt", {}, text), el("dd", {}, number(value)));
  return el(
    "dl",
    { class: "figures" },
    figure(overview.documents, "Documents"),
    figure(overview.sections, "Sections"),
    figure(overview.tokens, "Tokens"),
    figure(overview.over_window, "Longer than the model reads"),
  );
}

function freshness(status, overview) {
  const run = status.last_run;
  const lines = [];
  if (status.is_being_written) lines.push("The index is being written at the moment.");
  if (run) {
    const how =
      { finished: "finished", stopped: "was stopped", failed: "failed", unfinished: "has not finished" }[run.outcome] ??
      run.outcome;
    lines.push(`The last run began ${age(run.started)} and ${how}.`);
  }
  const old = overview.unsettled.filter((one) => one.stale);
  const all = !status.stale.length && !status.orphans.length && !status.failed.length && !status.dirty;
  if (all) lines.push("Every file is as it was indexed, and every section has its vector.");
  const list = (title, paths) =>
    paths.length
      ? el(
          "details",
          {},
          el("summary", {}, title),
          el(
            "ul",
            { class: "paths" },
            paths.slice(0, 200).map((path) => el("li", {}, path)),
          ),
        )
      : null;
  return el(
    "section",
    {},
    el("h3", {}, "Freshness"),
    lines.map((line) => el("p", {}, line)),
    status.dirty
      ? el("p", {}, `${count(status.dirty, "section")} ${status.dirty === 1 ? "waits" : "wait"} for a vector.`)
      : null,
    list(
      `${count(status.stale.length || old.length, "file")} changed since`,
      status.stale.length ? status.stale : old.map((one) => one.path),
    ),
    list(`${count(status.orphans.length, "file")} gone`, status.orphans),
    list(
      `${count(status.failed.length, "file")} could not be read`,
      status.failed.map((one) => `${one.path}: ${one.reason}`),
    ),
  );
}

function histogram(overview) {
  const most = Math.max(1, ...overview.histogram.map((bucket) => bucket.sections));
  const range = ({ least, most: top }) => (top === null ? `${number(least)} and more` : `${number(least)}–${number(top)}`);
  const rows = overview.histogram.map((bucket) =>
    el(
      "tr",
      { class: bucket.least > overview.window_tokens ? "over" : null },
      el("th", { scope: "row" }, range(bucket)),
      el("td", {}, bar(bucket.sections / most)),
      el("td", { class: "right" }, number(bucket.sections)),
    ),
  );
  return el(
    "section",
    {},
    el("h3", {}, "Sizes"),
    el(
      "p",
      {},
      `The model reads ${number(overview.window_tokens)} tokens at once. ${overview.over_window ? `${count(overview.over_window, "section")} ${overview.over_window === 1 ? "is" : "are"} longer and searched in parts.` : "Every section fits."}`,
    ),
    el(
      "table",
      { class: "histogram" },
      el("caption", { class: "unseen" }, "Sections by tokens"),
      el(
        "thead",
        { class: "unseen" },
        el("tr", {}, el("th", { scope: "col" }, "Tokens"), el("td", {}), el("th", { scope: "col" }, "Sections")),
      ),
      el("tbody", {}, rows),
    ),
  );
}

const linkTo = (state, section) =>
  el(
    "a",
    {
      href: address(opened(state, section.document_path, anchorOf(section))),
      "data-step": true,
      lang: languageOfLine(section.heading),
    },
    titled(section.heading),
  );

const entry = (state, section) => [
  linkTo(state, section),
  el("span", { class: "place small" }, section.document_path),
  el("span", { class: "small" }, count(section.token_count, "token")),
];

function largest(overview, state) {
  if (!overview.largest.length) return null;
  return el(
    "section",
    {},
    el("h3", {}, "Largest sections"),
    el(
      "ol",
      { class: "sections" },
      overview.largest.slice(0, 10).map((section) => el("li", {}, entry(state, section))),
    ),
  );
}

function near(overview, state) {
  const pairs = overview.near_duplicates;
  return el(
    "section",
    {},
    el("h3", {}, "Near-duplicates"),
    pairs.length
      ? el(
          "ol",
          { class: "pairs" },
          pairs.map((pair) =>
            el(
              "li",
              {},
              el("span", { class: "number", title: "Cosine of the two vectors" }, pair.cosine.toFixed(3)),
              el("ul", {}, el("li", {}, entry(state, pair.first)), el("li", {}, entry(state, pair.second))),
            ),
          ),
        )
      : el("p", {}, `No two of ${count(overview.compared, "section")} say nearly the same.`),
  );
}
