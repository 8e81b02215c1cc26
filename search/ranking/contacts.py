"""A question for a phone number or a mail address → the section of whom it asks about that has one.

Who types "plumber phone number" looks for "Plumber: 07700 900417", which has neither "phone" nor "number".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from schema.text.normal_form import compatible
from schema.text.query_words import query_terms
from search.index.snapshot import IndexSnapshot
from search.ranking.boosts import coverage
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows among which the section is looked for, and the share of the weight of whom is asked about that it holds.
_CLOSE_ROWS, _ALL = 30, 0.999
_PHONE = (
    r"(?:(?:tele)?phone|mobile|cell)(?: (?:number|no)\b\.?)?s?|tel(?: (?:number|no)\b\.?)?|電話(?:番号)?|전화(?: ?번호)?"
)
_MAIL = r"e-?mail(?: address(?:es)?)?|メール(?:アドレス)?|メアド|(?:이메일|메일)(?: ?주소)?"
_EITHER = r"contact (?:details|info(?:rmation)?)|連絡先|연락처"
_WHAT = rf"(?:(?P<phone>{_PHONE})|(?P<mail>{_MAIL})|(?P<either>{_EITHER}))"
_OF = r"(?P<of>[\w' .&-]{1,40}?)"
_BEFORE = r"\W*(?:(?:what(?:['’]?s| is| are)|where(?:['’]?s| is)|find|give me|i need) )?"
#: Short questions for it alone: "the plumber's phone number", "mail address of the bank", 歯医者の電話番号は？
_ASKS = (
    re.compile(rf"{_BEFORE}(?:the |my |our )?{_OF}(?:['’]s)? {_WHAT}[?\s]*", re.IGNORECASE),
    re.compile(rf"{_BEFORE}(?:the )?{_WHAT} (?:of|for) (?:the |my |our )?{_OF}[?\s]*", re.IGNORECASE),
    re.compile(rf"\W*{_OF}の{_WHAT}(?:は|を|って|が|教えて|何番|知りたい|ですか|[?？。\s]|ください){{0,4}}"),
    re.compile(rf"\W*{_OF}(?:의)? ?{_WHAT}(?:는|은|를|을|가|이|뭐|알려|줘|주세요|예요|야|[?？.\s]){{0,6}}"),
)
#: What a name of a person may end with.
_HONORIFIC = re.compile(r"(?:さん|様|氏|くん|ちゃん|\s?[씨님])\Z")
#: A phone number: seven digits or more in groups, which are no date and no address of a machine; and a mail address.
_NO_PHONE = r"(?!\d{4}([-/.])\d\d?\1\d\d?(?!\d)|\d\d?([-/.])\d\d?\2\d{4}(?!\d)|\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d))"
_NUMBER = re.compile(
    rf"(?<![\w.:/-]){_NO_PHONE}"
    r"(?=(?:\D{0,2}\d){7,15}(?!\d))"
    r"(?:\+?\d{1,3}[ .-])?(?:\(\d{1,5}\)|\d{2,5})(?:[ ./-]{1,2}\d{2,8}){1,5}(?![\w-])"
    r"|(?<![\w.:/-])(?:\+\d{7,14}|0\d{8,10})(?![\w-])"
)
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,}")


def contact_first(
    snapshot: IndexSnapshot, query: Query, ranking: Ranking, texts_of: Callable[[Sequence[int]], Sequence[str]]
) -> tuple[Ranking, int | None]:
    """Return the ranking in which the best section with whom a question for a phone number or a mail address is about, and
    with such a one, has taken the first place, as the part "contact"; and the row of that section, which answers it.

    It is the same ranking, and None, for another question, or where no section has one. `texts_of` gives the texts of rows
    with the properties of their documents.
    """
    text = compatible(query.text)
    asked = next((found for each in _ASKS if (found := each.fullmatch(text)) is not None), None)
    rows = ranking.order[:_CLOSE_ROWS]
    about = query_terms(_HONORIFIC.sub("", asked["of"])) if asked is not None else {}
    if asked is None or not about or not len(rows):
        return ranking, None
    wanted = [_NUMBER] * bool(asked["phone"] or asked["either"]) + [_ADDRESS] * bool(asked["mail"] or asked["either"])
    held = coverage(snapshot.inverted, about, rows, {}, query.synonyms)[0]
    has_all = (held >= _ALL * snapshot.inverted.mass(about, query.synonyms)).nonzero()[0].tolist()
    texts = texts_of(rows[has_all].tolist()) if has_all else []
    for place, content in zip(has_all, texts, strict=True):
        if any(form.search(content) for form in wanted):
            return ranking.led_by(place, "contact"), int(rows[place])
    return ranking, None
