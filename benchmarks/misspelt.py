"""What misspelt questions find, against the same questions as they were meant, and with no word of them respelt.

One letter of each question's words of five letters or more is left out, joined by another, replaced, or changes places with
its neighbour (never the first one), twice for each question and once in two of its words. The questions are those beside the
project in English; the index is made with the default settings. Of questions that the folder does not answer (about daily
life, and about other software), it is counted how many are told as answered, and how many are respelt.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from pathlib import Path
from string import ascii_lowercase
from unittest.mock import patch

from meters import RESULTS, Figures, provenance, save

from indexer import Indexer
from schema.settings import Settings
from schema.text.query_words import STOP_TERMS
from search import SearchEngine
from search.ranking.misspelt import Reading

HERE = Path(__file__).resolve().parent.parent
SHARED = HERE.parent / "shared"
SETS = ("rust-book", "k8s-community")
#: Questions that neither folder answers.
FOREIGN = (
    "pizza dough recipe with sourdough;best hotels in Lisbon;symptoms of vitamin d deficiency;used car prices;"
    "who won the 1998 football world cup;how to knit a scarf;piano lessons for children;how to bake a chocolate cake;"
    "cheap flights to barcelona;treatment for migraine headaches;how to train a puppy;best restaurants nearby;"
    "mortgage interest rates;how to remove red wine stains;gardening tips for tomatoes;how tall is mount everest;"
    "learn to play guitar chords;yoga poses for beginners;history of the roman empire;how to change a flat tire"
).split(";")
#: Misspelt forms of each question, by how many of its words are misspelt.
FORMS = (1, 1, 2)


def misspelt(word: str, chance: random.Random) -> str:
    """The word with one letter wrong, not the first."""
    at, other = chance.randrange(1, len(word) - 1), chance.choice(ascii_lowercase)
    return chance.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + other + word[at:],
            word[:at] + other + word[at + 1 :],
        )
    )


def forms(question: str, chance: random.Random) -> list[str]:
    """Misspelt forms of a question; none if it has no word to misspell."""
    words = question.split()
    places = [at for at, word in enumerate(words) if len(word) >= 5 and word.isalpha() and word.islower()]
    places = [at for at in places if words[at] not in STOP_TERMS]
    found = []
    for count in FORMS if places else ():
        changed = list(words)
        for at in chance.sample(places, min(count, len(places))):
            changed[at] = misspelt(changed[at], chance)
        found.append(" ".join(changed))
    return found


def asked(name: str) -> list[dict[str, object]]:
    """The questions in ASCII of a set that have an answer and are not misspelt already."""
    lines = (SHARED / "questions" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()]
    return [one for one in questions if one["query"].isascii() and one["kind"] not in ("none", "typo", "english")]


def figures_of(engine: SearchEngine, questions: list[tuple[str, list[tuple[str, int]]]]) -> Figures:
    """S@1, S@3 and the share told as answered, of questions with their best sections (path, first line)."""
    first = three = answered = 0
    for query, best in questions:
        page = engine.page(query, limit=3)
        is_best = [
            any(hit.section.document_path.endswith(path) and hit.section.start_line == line for path, line in best)
            for hit in page.results
        ]
        first, three, answered = first + any(is_best[:1]), three + any(is_best), answered + page.answered
    count = len(questions)
    return {"S@1": first / count, "S@3": three / count, "answered": answered / count}


def measure(name: str, place: Path) -> Figures:
    """The figures of one set over its folder."""
    corpus = SHARED / "corpora" / name
    if not place.exists():
        Indexer(place, root=corpus, settings=Settings(include=("**/*.md",))).index(corpus)
    chance = random.Random(7)
    meant, typed = [], []
    for one in asked(name):
        best = [(gold["path"], gold["start_line"]) for gold in one["gold"] if gold["grade"] == 2]
        changed = forms(one["query"], chance)
        meant += [(one["query"], best)] * bool(changed)
        typed += [(form, best) for form in changed]
    with SearchEngine(place) as engine:
        with patch("search.query_vectors.respelt", lambda text, *_, **__: Reading(text, text, False, {})):
            without = figures_of(engine, typed)
        strange = [*FOREIGN, *(one["query"] for other in SETS if other != name for one in asked(other))]
        pages = [engine.page(query, limit=3) for query in strange]
        return {
            "corpus": name,
            "questions": len(meant),
            "misspelt": len(typed),
            "as meant": figures_of(engine, meant),
            "misspelt, not respelt": without,
            "misspelt, respelt": figures_of(engine, typed),
            "strange": len(strange),
            "strange and answered": sum(page.answered for page in pages),
            "strange and respelt": sum(bool(page.respelt) for page in pages),
        }


def main() -> None:
    """Measure each set and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--indexes", type=Path, help="a folder that keeps the indexes; those that are there are not made again"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON file")
    given = parser.parse_args()
    if not SHARED.is_dir():
        print("the questions are not beside the project: nothing to ask")
        return
    with tempfile.TemporaryDirectory() as scratch:
        sets = []
        for name in SETS:
            sets.append(measure(name, (given.indexes or Path(scratch)) / name / ".sectionary"))
            print(json.dumps(sets[-1], indent=1), flush=True)
    print(save("misspelt", {**provenance(), "sets": sets}, given.results))


if __name__ == "__main__":
    main()
