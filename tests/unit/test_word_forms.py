"""A word of a query in German, French and others stands for its other forms that sections have, and for its parts."""

import pytest

from search.ranking.query import parse_query
from search.ranking.word_forms import inflected_forms, parts_of_compounds
from tests.unit.test_relevance import source


def forms(query, text, *languages):
    return inflected_forms(query, source(notes=f"# Notes\n\n{text}\n").vocabulary, languages)


def parts(query, text, *languages, known=()):
    weights = parse_query(query).weights
    return parts_of_compounds(query, weights, source(notes=f"# Notes\n\n{text}\n").vocabulary, languages, dict(known))


@pytest.mark.parametrize(
    ("language", "typed", "written", "term", "other"),
    [
        ("de", "Einstellung", "Die Einstellungen stehen dort.", "einstellung", "einstellungen"),
        ("de", "Häuser", "Das Haus ist alt.", "hauser", "haus"),
        ("fr", "installer", "L'installation prend une heure.", "instal", None),
        ("fr", "paramètre", "Les paramètres sont là.", "parametr", None),
        ("fr", "fichier", "Les fichiers sont là.", "fichier", None),
        ("es", "versiones", "La versión nueva.", "version", None),
        ("es", "conecto", "Se puede conectar un cable.", "conecto", "conectar"),
        ("pt", "dividindo", "Para dividir o texto.", "dividindo", "dividir"),
        ("it", "finestre", "La finestra si apre.", "finestr", "finestra"),
        ("nl", "bestanden", "Het bestand is leeg.", "bestanden", "bestand"),
        ("sv", "inställningar", "En inställning per rad.", "installningar", "installn"),
        ("pl", "brakujące", "Bez brakującej zmiennej.", "brakujac", "brakujacej"),
        ("cs", "domén", "Vlastní doména.", "domen", "domena"),
        ("fi", "tiedostot", "Tiedosto on tyhjä.", "tiedostot", "tiedosto"),
    ],
)
def test_other_forms_of_a_word_are_looked_for_too(language, typed, written, term, other):
    assert forms(typed, written, language) == ({term: (other,)} if other else {})


def test_word_that_is_made_of_the_stem_is_no_form_of_it():
    assert forms("imprimante", "Le script imprime la page.", "fr") == {}


def test_small_word_has_no_other_forms():
    assert forms("comme", "Le commerce.", "fr") == forms("unter", "Die Unterteilung.", "de") == {}


def test_word_in_quotes_is_looked_for_as_it_is_written():
    assert forms('"Einstellung"', "Die Einstellungen stehen dort.", "de") == {}


def test_letters_in_place_of_an_umlaut_find_the_word_with_it():
    assert forms("woerterbuecher", "Das Wörterbuch ist leer.", "de") == {"woerterbuech": ("worterbuch",)}


def test_no_forms_are_looked_for_where_no_language_is_known():
    assert forms("Einstellung", "Die Einstellungen stehen dort.") == {}


@pytest.mark.parametrize(
    ("typed", "written", "expected"),
    [
        ("Vektordatenbank", "Eine Datenbank für Vektoren.", {"vektoren": 0.5, "datenbank": 0.5}),
        ("Dokumentationsaufteilung", "Die Aufteilung der Dokumentation.", {"dokument": 0.5, "aufteilung": 0.5}),
        ("Vektordatenbank", "Eine Datenbank für Bilder.", {"vektordatenbank": 1.0}),  # one part is in no section
        ("Vektordatenbank", "Eine Vektordatenbank, eine Datenbank, ein Vektor.", {"vektordatenbank": 1.0}),
    ],
)
def test_compound_that_no_section_has_is_divided_where_sections_have_both_parts(typed, written, expected):
    assert parts(typed, written, "de") == expected


def test_compound_that_has_another_form_is_not_divided():
    weights = parts("Vektordatenbank", "Ein Vektor, eine Datenbank.", "de", known={"vektordatenbank": ("x",)}.items())
    assert weights == {"vektordatenbank": 1.0}


def test_words_of_languages_without_compounds_are_not_divided():
    assert parts("passeport", "Il passe le port.", "fr") == {"passeport": 1.0}


def test_forms_of_the_first_words_of_a_long_query_are_looked_for():
    words = [f"wort{first}{second}ung" for first in "abcdef" for second in "bcdfg"]
    held = forms(" ".join(words), " ".join(f"{word}en" for word in words), "de")
    assert set(held) == set(words[:24])
