// The view of the index: its size, whether it is up to date, and the sizes of its sections.

import { bar, el, inLanguage, name, sentence, titled } from "./dom.js";
import { address, anchorOf, opened } from "./state.js";
import { age, bytes, count, number, spoken, t } from "./texts.js";

/** The whole view, from the answers `status` and `overview` of the server. */
export function overviewPage(status, overview, state) {
  return [
    status.name ? name(status.name, {}, "h2") : el("h2", {}, t("view.index")),
    figures(overview),
    freshness(status, overview),
    histogram(overview),
    largest(overview, state),
    near(overview, state),
    el("p", { class: "small made" }, sentence("index.made", madeOf(status))),
  ];
}

const madeOf = (status) => ({
  count: status.dimension,
  dimension: String(status.dimension),
  model: name(status.model),
  encoding: name(status.token_encoding),
  data: bytes(status.data_bytes),
  disk: bytes(status.disk_bytes),
});

function figures(overview) {
  const figure = (value, text) => el("div", {}, el("dt", {}, t(text)), el("dd", {}, number(value)));
  return el(
    "dl",
    { class: "figures" },
    figure(overview.documents, "index.documents"),
    figure(overview.sections, "index.sections"),
    figure(overview.tokens, "index.tokens"),
    figure(overview.over_window, "index.over"),
  );
}

const OUTCOMES = ["finished", "stopped", "failed", "unfinished"];

function freshness(status, overview) {
  const run = status.last_run;
  const lines = [];
  if (status.is_being_written) lines.push(t("index.written"));
  if (run) {
    const outcome = OUTCOMES.includes(run.outcome) ? t(`outcome.${run.outcome}`) : run.outcome;
    lines.push(t("index.run", { age: age(run.started), outcome }));
  }
  const old = status.stale.length ? status.stale : overview.unsettled.filter((one) => one.stale).map((one) => one.path);
  if (!status.stale.length && !status.orphans.length && !status.failed.length && !status.dirty) lines.push(t("index.fresh"));
  const list = (key, entries) =>
    entries.length
      ? el(
          "details",
          {},
          el("summary", {}, t(key, { count: entries.length })),
          el(
            "ul",
            { class: "paths" },
            entries.slice(0, 200).map((entry) => el("li", {}, entry)),
          ),
        )
      : null;
  const reason = spoken() === "en" ? {} : { lang: "en" }; // the server's own words
  return el(
    "section",
    {},
    el("h3", {}, t("index.freshness")),
    lines.map((line) => el("p", {}, line)),
    status.dirty ? el("p", {}, t("index.dirty", { count: status.dirty })) : null,
    list(
      "index.changed",
      old.map((path) => name(path)),
    ),
    list(
      "index.gone",
      status.orphans.map((path) => name(path)),
    ),
    list(
      "index.unread",
      status.failed.map((one) => [name(one.path), ": ", el("span", reason, one.reason)]),
    ),
  );
}

function histogram(overview) {
  const most = Math.max(1, ...overview.histogram.map((bucket) => bucket.sections));
  const range = ({ least, most: top }) =>
    top === null ? t("index.and-more", { least }) : `${number(least)}–${number(top)}`;
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
    el("h3", {}, t("index.sizes")),
    el(
      "p",
      {},
      `${t("index.window", { tokens: overview.window_tokens })} `,
      overview.over_window ? t("index.longer", { count: overview.over_window }) : t("index.fits"),
    ),
    el(
      "table",
      { class: "histogram" },
      el("caption", { class: "unseen" }, t("index.by-tokens")),
      el(
        "thead",
        { class: "unseen" },
        el(
          "tr",
          {},
          el("th", { scope: "col" }, t("index.tokens")),
          el("td", {}),
          el("th", { scope: "col" }, t("index.sections")),
        ),
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
      ...inLanguage(section.heading),
    },
    titled(section.heading),
  );

const entry = (state, section) => [
  linkTo(state, section),
  name(section.document_path, { class: "place small" }),
  el("span", { class: "small" }, count(section.token_count, "token")),
];

function largest(overview, state) {
  if (!overview.largest.length) return null;
  return el(
    "section",
    {},
    el("h3", {}, t("index.largest")),
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
    el("h3", {}, t("index.near")),
    pairs.length
      ? el(
          "ol",
          { class: "pairs" },
          pairs.map((pair) =>
            el(
              "li",
              {},
              el("span", { class: "number", title: t("index.cosine") }, pair.cosine.toFixed(3)),
              el("ul", {}, el("li", {}, entry(state, pair.first)), el("li", {}, entry(state, pair.second))),
            ),
          ),
        )
      : el("p", {}, t("index.none-near", { count: overview.compared })),
  );
}
