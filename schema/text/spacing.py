"""Korean words of a question that are typed together → with the blanks between them that texts have."""

from __future__ import annotations

import regex

from schema.text.runs import HANGUL

#: What is counted behind 몇 (how many), which the list of asking words knows together with it.
_COUNTS = "번|개|시|명|일|주|분|달|가지"
_PARTICLES = "을|를|이|가|은|는|에|의|만|씩|쯤|이나|정도|까지|부터"
_HOW_MANY = regex.compile(rf"(?<![{HANGUL}])몇(?!몇|(?:{_COUNTS})(?:{_PARTICLES})?(?![{HANGUL}]))(?=[{HANGUL}])")
#: A verb before "can" or "cannot", which ends with ㄹ; those of one syllable, since 필수 and 실수 are nouns.
_ENDS_WITH_L = "".join(map(chr, range(ord("갈"), ord("힣") + 1, 28)))
_VERBS = "할볼갈올쓸알될줄살팔풀열걸탈날울설잘낼뺄킬켤끌털밀둘얻놀"
_CAN = regex.compile(rf"(?:(?<=[{HANGUL}][{_ENDS_WITH_L}])|(?<=(?<![{HANGUL}])[{_VERBS}]))수([가는도]?)\s?(?=[있없])")
#: What says no before a verb; words such as 안내 and 안전 begin with the same syllable.
_NO = regex.compile(
    rf"(?<![{HANGUL}])(?:안(?![녕내전정심경과부건쪽팎주감마테드방락구배면식])|못(?!질))"
    rf"(?=[{HANGUL}]{{1,6}}(?:요|니다|니까|음|임|김|림|힘|짐|됨|네|죠|돼|나|는데|을때|때)(?![{HANGUL}]))"
)


def with_blanks(text: str) -> str:
    """A question with blanks behind 몇 (how many), behind 안 and 못 (not) of a verb, and around 수 of 수 있다 (can), where
    these are joined to other words.

    >>> with_blanks("물 안나와요"), with_blanks("불이 안켜짐"), with_blanks("안내해주세요, 안전한가요")
    ('물 안 나와요', '불이 안 켜짐', '안내해주세요, 안전한가요')
    >>> with_blanks("최대 몇학점까지 들을수있나요"), with_blanks("몇번 쓸수 없어요"), with_blanks("필수있는 항목, 실수없이")
    ('최대 몇 학점까지 들을 수 있나요', '몇번 쓸 수 없어요', '필수있는 항목, 실수없이')
    """
    return _NO.sub(lambda found: f"{found[0]} ", _CAN.sub(r" 수\1 ", _HOW_MANY.sub("몇 ", text)))
