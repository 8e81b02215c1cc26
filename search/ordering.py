"""Candidates → their order, and how likely each answers: the ranking, then the steps that look at the first sections."""

from __future__ import annotations

from functools import partial

from search.context.leads import backlinks, leads
from search.context.links import LinkReader
from search.context.properties import texts_with_properties
from search.index.snapshot import IndexSnapshot
from search.ranking.amounts import amount_first
from search.ranking.beginnings import beginning_first
from search.ranking.contacts import contact_first
from search.ranking.days import day_first
from search.ranking.definitions import definitions_first
from search.ranking.details import detail_first
from search.ranking.mentions import told_first
from search.ranking.named_releases import named_release_first
from search.ranking.namesakes import linked_first
from search.ranking.nearness import Mask
from search.ranking.negation import saying_no_first
from search.ranking.outdated import current_first
from search.ranking.own_copies import own_copies_first
from search.ranking.parts import part_first
from search.ranking.placeholders import behind_their_pages, text_first
from search.ranking.rank import Ranking, rank
from search.ranking.releases import behind_descriptions
from search.ranking.relevance import Relevance
from search.ranking.remedies import remedy_first
from search.ranking.revisions import behind_replacements, revised_first
from search.ranking.versions import behind_newer
from search.sources.base import Question, Source


def ordered(
    source: Source, snapshot: IndexSnapshot, question: Question, *, allowed: Mask, links: LinkReader, model: str
) -> tuple[Relevance, Ranking]:
    """Return how likely each section of a snapshot answers the question, and their ranking, where age does not count yet.

    `allowed` is a mask of the sections that the filters allow, shape (rows,); `links` and `source` give what is read of some
    of the first ones; `model` is the name of the model that made the vectors.
    """
    asked = question.asked
    ranking = rank(
        snapshot,
        asked,
        question.vector,
        mode=question.mode,
        dense_weight=question.weight,
        allowed=allowed,
        deferred=snapshot.in_other_languages(asked.text) if question.prefers else None,
    )
    relevance = Relevance(snapshot, asked, ranking, model=model)
    ranking = behind_replacements(snapshot, asked, behind_descriptions(snapshot, asked, relevance.ordered()))
    ranking = behind_newer(snapshot, asked, ranking, source.section_counts)
    ranking = linked_first(saying_no_first(snapshot, asked, ranking), backlinks(source, snapshot, links))
    ranking, said = definitions_first(snapshot, asked, ranking)
    relevance.answer_with(said)
    lead_of = leads(source, snapshot, links)
    ranking, moved = behind_their_pages(snapshot, told_first(snapshot, asked, ranking), lead_of)
    relevance.lend(moved)
    ranking, copies = own_copies_first(snapshot, asked.text, ranking)
    relevance.lend(copies)
    ranking = detail_first(snapshot, asked, beginning_first(snapshot, asked, ranking))
    ranking = revised_first(snapshot, asked, relevance.answering_first(ranking), relevance.of)
    ranking = current_first(snapshot, asked, ranking, relevance.of)
    ranking = named_release_first(snapshot, asked, ranking, relevance.of)
    ranking, told = text_first(snapshot, asked, ranking, lead_of)
    relevance.lend(told)
    ranking, mended = remedy_first(snapshot, asked, ranking)
    relevance.lend(mended)
    ranking, part = part_first(snapshot, asked, ranking, relevance.of)
    relevance.lend(part)
    texts_of = partial(texts_with_properties, source, snapshot)
    ranking = amount_first(asked, ranking, relevance.of, texts_of)
    ranking, contact = contact_first(snapshot, asked, ranking, texts_of)
    ranking, of_day = day_first(snapshot, asked, ranking)
    relevance.answer_with(dict.fromkeys((*([] if contact is None else [contact]), *of_day), 1.0))
    return relevance, ranking
