"""What always holds of answers within a token budget: never above it, nothing invented, what fits unchanged."""

from hypothesis import given, settings
from hypothesis import strategies as st

from schema.text.names import caseless
from search.answers.budget import MIN_TOKENS, fit_context, fit_documents, fit_search, fit_section, fit_status
from tests.budgets import documented, found, hit, packer, state, within

_CONTENTS = st.one_of(
    st.text(max_size=300),
    st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=40), st.integers(1, 400)),
)


@st.composite
def _hits(draw):
    content = draw(_CONTENTS)
    ends = sorted(draw(st.lists(st.integers(0, len(content)), min_size=2, max_size=2)))
    matches = [sorted(pair) for pair in draw(st.lists(st.tuples(*[st.integers(0, len(content))] * 2), max_size=5))]
    return hit(
        draw(st.integers(0, 99)), content, draw(st.integers(0, 30)), body_start=ends[0], matches=[list(pair) for pair in matches],
        window={"start": ends[0], "end": ends[1]}, passage=draw(st.none() | st.just({"start": ends[0], "end": ends[1]})),
    )  # fmt: skip


def _is_part(part, whole):
    """Whether a hit is the other one, except for what its marks say is cut."""
    start = part.get("content_offset", 0)
    content = whole["content"][start : start + len(part["content"])]
    marks = {"content_truncated", "content_offset", "content_lines", "context_truncated", "next_offset", "advice"}
    spans = {"content", "body_start", "window", "passage", "matches", "context"}
    same = all(part[name] == whole[name] for name in part if name not in marks | spans)
    is_whole = part["content"] == whole["content"]
    return (
        same
        and part["content"] == content
        and is_whole != part.get("content_truncated", False)
        and (part["context"] == whole["context"]) != part.get("context_truncated", False)
        and 0 <= part["body_start"] <= len(content)
        and all([a + start, b + start] in whole["matches"] and b <= len(content) for a, b in part["matches"])
        and all(
            part[name] is None
            or (whole[name]["start"] <= part[name]["start"] + start and part[name]["end"] + start <= whole[name]["end"])
            for name in ("window", "passage")
        )
    )


@settings(max_examples=60)
@given(st.lists(_hits(), max_size=5), st.integers(MIN_TOKENS, 4000), st.text(max_size=200))
def test_search_is_within_its_budget_and_a_part_of_the_whole(hits, tokens, query):
    answer, budget = found(*hits, query=query), within(tokens)
    fitted = fit_search(answer, budget)
    assert budget.holds(fitted)
    assert (fitted is answer) == budget.holds(answer)
    shown = fitted["results"]
    assert all(_is_part(part, whole) for part, whole in zip(shown, hits, strict=False))
    assert len(shown) + fitted.get("omitted", 0) == len(hits)
    assert len(shown) == 1 or shown == hits[: len(shown)]


@settings(max_examples=60)
@given(_hits(), st.integers(MIN_TOKENS, 4000), st.data())
def test_section_is_within_its_budget_and_a_part_of_the_whole(whole, tokens, data):
    answer, budget = {"schema_version": 1, **whole}, within(tokens)
    offset = data.draw(st.integers(0, max(0, len(whole["content"]) - 1)))
    fitted = fit_section(answer, budget, offset=offset)
    assert budget.holds(fitted)
    assert (fitted is answer) == (not offset and budget.holds(answer))
    if "content" in fitted:
        assert _is_part(fitted, answer)
        assert fitted.get("content_offset", 0) == offset
        end = offset + len(fitted["content"])
        assert fitted.get("next_offset") == (None if end == len(whole["content"]) else end)
        assert len(fitted["content"]) > 0 or not whole["content"]


@settings(max_examples=40)
@given(st.lists(st.text(max_size=60), max_size=80), st.integers(MIN_TOKENS, 2000), st.integers(0, 100), st.text(max_size=2))
def test_documents_are_within_their_budget_and_in_their_order(paths, tokens, offset, prefix):
    answer, budget = documented(*paths), within(tokens)
    fitted = fit_documents(answer, budget, prefix=prefix, offset=offset)
    assert budget.holds(fitted)
    begin = caseless(prefix)
    wanted = [entry for entry in answer["documents"] if caseless(entry["path"]).startswith(begin)][offset:]
    shown = fitted["documents"]
    assert shown == wanted[: len(shown)]
    assert len(shown) + fitted.get("omitted", 0) == len(wanted)
    assert fitted.get("next_offset") == (offset + len(shown) if 0 < len(shown) < len(wanted) else None)


@settings(max_examples=40)
@given(st.lists(_CONTENTS, max_size=12), st.integers(MIN_TOKENS, 3000), st.text(max_size=200))
def test_pack_is_within_its_budget_and_one_that_was_made(sections, tokens, query):
    made = []

    def ask(room):
        made.append({**packer(sections)(room), "query": query})
        return made[-1]

    fitted = fit_context(ask, within(tokens))
    assert within(tokens).holds(fitted)
    assert fitted["text"] == "" or any(fitted["text"] == pack["text"] for pack in made)
    assert all(any(piece.items() <= whole.items() for whole in made[-1]["pieces"]) for piece in fitted["pieces"])


@settings(max_examples=40)
@given(st.lists(st.text(max_size=40), max_size=100), st.text(max_size=400), st.integers(MIN_TOKENS, 2000))
def test_state_is_within_its_budget_and_a_part_of_the_whole(paths, name, tokens):
    answer, budget = (
        state(stale=paths, failed=[{"path": path, "reason": "no"} for path in paths[:9]], name=name),
        within(tokens),
    )
    fitted = fit_status(answer, budget)
    assert budget.holds(fitted)
    for field, value in fitted.items():
        if field != "omitted":
            assert value == (answer[field][: len(value)] if isinstance(value, list) else answer[field])
