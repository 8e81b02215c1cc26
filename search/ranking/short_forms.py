"""Short forms of words in a question → the long forms that sections write: config, configuration.

Sections that write the short form are found by it. The other way round it says too little: code has the short forms
everywhere, and a word as "function" would weigh as little as they do.
"""

from __future__ import annotations

from collections.abc import Mapping

from schema.text.analyzer import terms
from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.query import QUOTED, proper_names

#: English words that are cut short, and the long ones. Words of their own (app, async, info) and of code (fn, var) are none.
_WORDS = """
admin administrator, attr attribute, auth authentication, cert certificate, cmd command, conf configuration,
config configuration, creds credentials, db database, dev development, dir directory, doc documentation, env environment,
err error, i18n internationalization, img image, k8s kubernetes, l10n localization, lang language, lib library, max maximum,
min minimum, msg message, org organization, param parameter, perf performance, perms permissions, pkg package,
prefs preferences, pwd password, repo repository, spec specification, stats statistics, tz timezone
"""
_LONG = {
    short: long for pair in _WORDS.split(",") for short, long in [[term for word in pair.split() for term in terms(word)]]
}


def long_forms(text: str, weights: Mapping[str, float], vocabulary: Vocabulary) -> Synonyms:
    """Return, for the terms of a query that are short forms, the terms of the long ones that some section holds.

    `weights` are the query's terms. Text in quotes is meant as it is written, and a word with a capital may be a name.
    """
    plain = QUOTED.sub(" ", text)
    own = {*terms(plain)} - {*terms(" ".join(proper_names(plain)))}
    found = {term: _LONG[term] for term in weights if term in own and term in _LONG and _LONG[term] not in weights}
    known = vocabulary.frequencies(set(found.values()))
    return {term: (long,) for term, long in found.items() if long in known}
