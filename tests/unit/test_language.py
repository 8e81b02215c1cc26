"""The language of a text and of a question: by letters, by small words, and by what a question ends with."""

import pytest

from indexer.splitter import MarkdownSplitter
from schema.text.language import is_foreign, language, question_language, section_languages

TEXTS = {
    "ar": "الملف موجود في المجلد الذي اخترته لأن البرنامج يحتاج إليه عند التشغيل.",
    "cs": "Soubor se nachází ve složce, kterou jste vybrali, protože jej program potřebuje.",
    "da": "Filen bliver gemt efter at du har valgt en mappe, og den kan blive der, når programmet bruges af andre.",
    "de": "Die Datei liegt in dem Ordner, den Sie gewählt haben, weil das Programm sie braucht.",
    "en": "The file is in the folder that you have chosen, because the program needs it.",
    "es": "El archivo está en la carpeta que usted eligió, porque el programa lo necesita.",
    "fi": "Tiedosto on kansiossa, jonka valitsit, koska ohjelma ei voi toimia ilman sitä ja se on tärkeä.",
    "fr": "Le fichier se trouve dans le dossier que vous avez choisi, car il est nécessaire.",
    "hu": "A fájl abban a mappában van, amely ki lett választva, mert a program nem működik, ha az nincs ott.",
    "id": "Berkas itu ada di dalam folder yang telah Anda pilih karena program tersebut membutuhkannya.",
    "it": "Il file si trova nella cartella che hai scelto, perché il programma ne ha bisogno.",
    "nl": "Het bestand staat in de map die je hebt gekozen, omdat het programma dat nodig heeft.",
    "no": "Filen ligger i mappen som du har valgt, fordi programmet ikke kan gjøre noe uten den.",
    "pl": "Plik jest w folderze, który został wybrany, ponieważ program go potrzebuje i nie może bez tego działać.",
    "pt": "O arquivo está na pasta que você escolheu, porque o programa não funciona sem ele.",
    "ro": "Fișierul este în dosarul pe care l-ai ales, pentru că programul nu poate fi pornit fără el.",
    "ru": "Файл лежит в папке, которую вы выбрали, потому что он нужен программе.",
    "sv": "Filen finns i mappen som du har valt, eftersom programmet inte kan göra något utan den.",
    "tr": "Dosya seçtiğiniz klasörde bulunur çünkü program onu kullanmak için bir yer ister ve bu gerekli.",
    "uk": "Файл лежить у теці, яку ви обрали, тому що він потрібен програмі для роботи.",
    "vi": "Tệp này nằm trong thư mục mà bạn đã chọn, vì chương trình cần nó để chạy.",
}


@pytest.mark.parametrize(("code", "text"), TEXTS.items())
def test_small_words_tell_the_language_of_a_text(code, text):
    assert language(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Schlüssel",
        "npm install --save-dev",
        "## Owners\n\n- https://example.com/de/der/das\n- https://example.com/die/und/oder",
        "* a\n* e\n* o\n* i\n* y",
        "Recording: [https://example.com/watch](https://example.com/watch)",
    ],
)
def test_language_of_a_text_without_sentences_is_unknown(text):
    assert language(text) == ""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("TypeError: Object of type datetime is not JSON serializable と出る", "ja"),
        ("Form data requires python-multipart to be installed というエラー", "ja"),
        ("Form data requires python-multipart to be installed 오류가 나요?", "ko"),
        ("what does 서버 mean for the key", "en"),
        ("what is the meaning of the word カタカナ", "en"),
        ("检索", "zh"),
        ("install on windows", "en"),
        ("no module named foo", "en"),
        ("was ist ein Fenster", "de"),
        ("Como faço para configurar o roteador?", "pt"),
        ("comment installer le paquet", "fr"),
        ("¿Dónde pido ayuda?", "es"),
        ("Schlüssel", ""),
        ("error 404", ""),
    ],
)
def test_question_is_in_the_language_that_it_ends_in_or_that_its_small_words_show(question, expected):
    assert question_language(question) == expected


def sections(*texts):
    return MarkdownSplitter().split("\n\n".join(f"# {at}\n\n{text}" for at, text in enumerate(texts)), "a.md")


def test_section_that_shows_no_language_is_in_that_of_most_sections_of_its_document():
    assert section_languages(sections(TEXTS["de"], "Schlüssel", TEXTS["de"], TEXTS["en"]), {}) == ["de", "de", "de", "en"]


def test_document_shows_its_language_where_no_section_does():
    short = sections("Das Buch liegt.", "Auf dem Tisch.", "Und der Stuhl.")
    assert [language(section.text) for section in short] == ["", "", ""]
    assert section_languages(short, {}) == ["de", "de", "de"]


def test_section_of_code_is_in_the_language_of_an_english_document_and_in_none_of_a_japanese_one():
    assert section_languages(sections(TEXTS["en"], "`x = 1`"), {}) == ["en", "en"]
    assert section_languages(sections("これは検索の例です。", "`x = 1`"), {}) == ["ja", ""]


def test_section_in_letters_that_tell_no_language_is_not_english():
    greek = "Το κλειδί αλλάζει κάθε χρόνο."
    assert section_languages(sections(TEXTS["en"], greek, greek), {}) == ["en", "", ""]


def test_front_matter_tells_the_language_of_all_sections_of_a_document():
    assert section_languages(sections(TEXTS["de"], "`x = 1`"), {"lang": "fr-CA"}) == ["fr", "fr"]


@pytest.mark.parametrize(("code", "expected"), [("de", True), ("en", False), ("ja", False), ("", False), (None, False)])
def test_model_of_english_does_not_know_other_languages_in_latin_letters(code, expected):
    assert is_foreign(code) == expected
