"""`QueryEmbedder`: the words of a question → how they are read, their vectors, and how much these count."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from schema.errors import EmbeddingServerError
from schema.given_vectors import checked_vector
from schema.protocols import Embedder, Vectors, second_of
from schema.requests import MAX_QUERY, Mode
from schema.sections import Section
from schema.storage.fingerprint import model_names
from schema.text.analyzer import terms
from schema.text.fields import name_key
from schema.text.function_words import FUNCTION_WORDS
from schema.text.language import language, question_language
from schema.text.normal_form import compatible
from schema.text.query_words import query_terms, small_terms
from schema.text.request_words import without_request
from schema.tracing import traced
from search.index.vectors import QueryVectors, dense_confidence, products
from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.compounds import divided, in_one_word
from search.ranking.irregular_forms import irregular_forms
from search.ranking.korean_nouns import noun_forms
from search.ranking.korean_verbs import verb_forms
from search.ranking.messages import (
    MOST_SENTENCES,
    always_told,
    asking_lowered,
    beside_background,
    best_of,
    is_cjk,
    is_message,
    is_question,
    sentences_of,
    telling_words,
    used_in,
)
from search.ranking.misspelt import respelt
from search.ranking.presence import Languages
from search.ranking.query import Query, is_heard_of, names_of, parse_query, proper_names
from search.ranking.question_terms import other_forms
from search.ranking.short_forms import long_forms
from search.ranking.spellings import other_spellings
from search.ranking.transliteration import English, Meanings
from search.ranking.verbs import other_verbs
from search.ranking.word_forms import inflected_forms, parts_of_compounds
from search.ranking.written_numbers import as_written
from search.sources.base import Source

#: The language of a section shows in so much of it (characters).
_COVERAGE_CHARACTERS = 2000
#: Half-width katakana, and letters and digits of full width: models hardly know them.
_OTHER_WIDTH = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff61-\uff9f]+")
#: What a name counts that stands in another sentence of a message than what is asked.
_NAMED_ASIDE = 0.5
#: The languages but English that small words tell.
_OTHERS = frozenset(FUNCTION_WORDS) - {"en"}
#: Queries whose vectors are kept: people page through results, and agents ask again (2 KB each, 3.6 KB with both models).
KEPT_QUERIES = 1024


class QueryEmbedder:
    """Embeds queries with an `embedder`; many threads may ask at once.

    `dense_weight` is the share of vectors in the ranking of the mode hybrid. `check` refuses vectors of another length than
    the index has. `place` tells where a word stands among those that people write, the commonest first.
    """

    def __init__(
        self, embedder: Embedder, *, dense_weight: float, check: Callable[[int], None], place: Callable[[str], float]
    ) -> None:
        self.embedder = embedder
        self._dense_weight = dense_weight
        self._place = place
        self._found: WeakKeyDictionary[Source, dict[str, English]] = WeakKeyDictionary()
        self._vector = lru_cache(KEPT_QUERIES)(partial(_embed, embedder, check))

    def prepare(self) -> None:
        """Load the models, which the first question would do."""
        for by_second in (False, True):
            self._vector("a first question", by_second)

    def query_of(self, words: str, mode: Mode, source: Source) -> Query:
        """Read a query; misspelt words as the index has them, unless only words count: then no model is asked for them."""
        if mode == "lexical":
            typed = parse_query(words)
            asked = parse_query(as_written(typed.text, source.vocabulary, source.holds, source.texts_with))
            spoken = _Spoken.of(asked.text, source)
            asked = spoken.without_small(asked)
            synonyms = {
                **_written_otherwise(asked.text, source.vocabulary, spoken.languages),
                **in_one_word(asked.text, asked.weights, source.vocabulary),
            }
            weights = divided(asked.weights, source.vocabulary)
            told = "" if asked.text == typed.text else typed.text
            return replace(asked, weights=weights, synonyms=synonyms, typed=told)
        told, aside = self._told(words, source)
        languages = Languages(source.share_of_languages)
        spoken = _Spoken.of(told, source)
        asked = spoken.without_small(parse_query(told))
        second = second_of(self.embedder)
        judge = self.embedder if second is None else second
        vocabulary = source.vocabulary
        inflected = _written_otherwise(asked.text, vocabulary, spoken.languages)
        reading = respelt(
            as_written(asked.text, vocabulary, source.holds, source.texts_with),
            vocabulary,
            is_held=lambda term: term in inflected or term in spoken.small or source.holds(term),
            meanings=Meanings(
                model=model_names(self.embedder.name)[0],
                tokens=lambda some: [len(spans) for spans in judge.token_spans(some)],
                cosines=self._cosines,
                found=self._found_in(source),
            ),
            is_at_home=languages.is_at_home,
            place=self._place,
            texts_with=source.texts_with,
            fewer=int(second is None),  # a model of several languages knows parts of words that are none in English
        )
        is_read = reading.text != asked.text
        read = replace(spoken.without_small(parse_query(reading.text)), typed=asked.text) if is_read else asked
        lowered = languages.lowered(read.weights.keys() - reading.synonyms.keys())
        if lowered and dense_confidence(self.embedder.coverage(asked.text)) < 1:
            lowered = {}  # vectors would not find what words are not to find first
        is_foreign = bool(lowered) or (reading.is_translated and not all(map(source.holds, read.weights)))
        for_model = parse_query(reading.for_model).text if is_read and is_foreign else ""
        synonyms = {
            **inflected,
            **(inflected_forms(read.text, vocabulary, spoken.languages) if is_read else {}),
            **long_forms(read.text, read.weights, vocabulary),
            **other_verbs(read.text, read.weights),
            **noun_forms(read.text, vocabulary),
            **verb_forms(read.text, vocabulary),
            **in_one_word(read.text, read.weights, vocabulary),
            **reading.synonyms,
            **other_forms(read.text, vocabulary),
        }
        asked_for = parts_of_compounds(read.text, {**aside, **read.weights}, vocabulary, spoken.languages, synonyms)
        weights = asking_lowered(read.text, divided(asked_for, vocabulary))
        return replace(
            read,
            weights=weights,
            is_foreign=is_foreign,
            for_model=for_model,
            synonyms=synonyms,
            lowered=lowered,
            english_name=reading.english_name,
        )

    def _told(self, words: str, source: Source) -> tuple[str, Mapping[str, float]]:
        """What is asked in a message: the sentences that sections have most to say to, without the words of asking. And the
        terms of names in its other sentences, such as the system in use, that a section has, with what they count."""
        if not is_message(words) or source.holds(name_key(words[:MAX_QUERY])):
            return words, {}
        sentences = sentences_of(words[:MAX_QUERY])
        if any(sentence.count('"') % 2 for sentence in sentences):  # a text in quotes goes from one to the next
            return words, {}
        plain = [(without_request(sentence), is_question(sentence)) for sentence in sentences]
        plain = [(sentence, is_asked) for sentence, is_asked in plain if terms(sentence)]
        if not 0 < len(plain) <= MOST_SENTENCES:
            return words, {}
        asking = beside_background(plain)
        told = always_told(plain)
        if len(asking) > 1:
            spoken = self._spoken_of([plain[i] for i in asking], source)
            asking = [i for at, i in enumerate(asking) if at in spoken or i in told]
        others = " ".join(sentence for i, (sentence, _) in enumerate(plain) if i not in asking)
        names = [name for name in (*names_of(others), *proper_names(others)) if is_heard_of(name, source.holds)]
        names += [word for word in telling_words(others) if source.holds(name_key(word))]  # the name of a section
        aside = dict.fromkeys((*terms(" ".join(names)), *filter(source.holds, terms(used_in(others)))), _NAMED_ASIDE)
        return " ".join(plain[i][0] for i in asking), aside

    def _spoken_of(self, sentences: Sequence[tuple[str, bool]], source: Source) -> Sequence[int]:
        """The numbers of the sentences that sections speak of; all vectors are by one model, since those of two differ."""
        second = second_of(self.embedder) if source.second_has_all else None
        by_second = second is not None and all(dense_confidence(second.coverage(some)) >= 1 for some, _ in sentences)
        found = []
        for sentence, is_asked in sentences:
            try:
                own = self._vector(sentence, by_second)
            except EmbeddingServerError:  # which the question itself tells then
                return range(len(sentences))
            vector = QueryVectors(second=own) if by_second else QueryVectors(first=own)
            found.append((*source.best_match(query_terms(sentence), vector), is_asked))
        return best_of(found, in_cjk=is_cjk(" ".join(sentence for sentence, _ in sentences)))

    def _found_in(self, source: Source) -> dict[str, English]:
        """The English words of loanwords that were found in a version of an index; the next one may have others."""
        found = self._found.setdefault(source, {})
        if len(found) > KEPT_QUERIES:
            found = self._found[source] = {}
        return found

    def _cosines(self, word: str, others: Sequence[str]) -> Sequence[float]:
        """How near each of some words is to a first one."""
        vectors = self.embedder.embed_sections([word, *others])
        found: list[float] = products(vectors[1:], vectors[0]).tolist()
        return found

    @traced("search.embed")
    def vectors_of(self, words: str, mode: Mode, source: Source) -> tuple[QueryVectors | None, float]:
        """The query's vectors, and their share in the ranking; a model that would have no say is not even loaded."""
        weight = {"hybrid": self._dense_weight, "dense": 1.0, "lexical": 0.0}[mode]
        if not weight:
            return None, 0.0
        words = _OTHER_WIDTH.sub(lambda found: compatible(found[0]), words)
        second = second_of(self.embedder) if source.has_second else None
        by_second = None
        if second is not None and dense_confidence(second.coverage(words)) >= 1 and not _other_language(words, source):
            by_second = self._vector(words, True)
            if by_second is not None and source.second_has_all:
                return QueryVectors(second=by_second), weight
        if mode == "hybrid" and by_second is None:
            weight *= float(dense_confidence(self.embedder.coverage(words)))
        first = self._vector(words, False) if weight else None
        return (None, 0.0) if first is None and by_second is None else (QueryVectors(first, by_second), weight)

    def lacks_vector(self, section: Section, mode: Mode) -> bool:
        """Whether a vector of the section's text is missing that would have had a say."""
        if not section.is_dirty or mode == "dense":
            return section.is_dirty
        text = " ".join((*section.breadcrumb, section.body[:_COVERAGE_CHARACTERS]))
        return bool(dense_confidence(self.embedder.coverage(text)) > 0)


def _embed(embedder: Embedder, check: Callable[[int], None], words: str, by_second: bool) -> Vectors | None:
    chosen = second_of(embedder) if by_second else embedder
    if chosen is None:
        return None
    vector = checked_vector(chosen, chosen.embed_query(words))
    if not by_second:
        check(len(vector))
    return vector if np.any(vector) else None


def _written_otherwise(text: str, vocabulary: Vocabulary, languages: Collection[str]) -> Synonyms:
    """By term of a word in a query, the terms of its other forms and spellings that sections have."""
    return {
        **irregular_forms(text, vocabulary),
        **other_spellings(text, vocabulary),
        **inflected_forms(text, vocabulary, languages),
    }


class _Spoken(NamedTuple):
    """The languages but English that a query may be in, and the terms of the small words that say nothing in it."""

    languages: frozenset[str]
    small: frozenset[str]

    @classmethod
    def of(cls, text: str, source: Source) -> _Spoken:
        """Its own language, or those of the index if it shows none, of which the main ones tell what says nothing: elsewhere
        "die size" and "man page" are English."""
        languages, own = Languages(source.share_of_languages), _other_language(text, source)
        if own:
            return cls(frozenset({own}), small_terms([own]))
        found = languages.at_home(_OTHERS) if question_language(text) in ("", *_OTHERS) else frozenset()
        return cls(found, small_terms(languages.main(found)))

    def without_small(self, query: Query) -> Query:
        """A query without these words, unless it has no others."""
        kept = {term: weight for term, weight in query.weights.items() if term not in self.small}
        return replace(query, weights=kept or query.weights)


def _other_language(text: str, source: Source) -> str:
    """The language that the small words of a query show, if that is another one than English; "" if they show none, or a few
    of them one that is no main one of the index: "sin cos tan" is not Spanish."""
    own = question_language(text)
    is_sure = own in _OTHERS and (own in Languages(source.share_of_languages).main([own]) or language(text) == own)
    return own if is_sure else ""
