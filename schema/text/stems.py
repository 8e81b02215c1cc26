"""Korean words → what is left of them without their endings."""

from __future__ import annotations

import re

#: Particles behind a noun, and the endings of 하다, 되다 and 이다 that make it a predicate, several of them too (에서 + 는).
_KOREAN_ENDINGS = """
    은 는 이 가 을 를 에 의 로 와 과 도 만 들 에서 에게 으로 까지 부터 처럼 보다 마다 이나 라도 조차 밖에 하고 이란 이라는
    하는 하기 하면 하여 해서 합니다 했습니다 하세요 되는 됩니다 인 입니다
""".split()
# the longest first: what was matched is not given back, since 이나 is 이 + 나 too, and a row of them has many readings
_PARTICLES = "|".join(sorted((*_KOREAN_ENDINGS, *"란 라는 나 랑 이랑 라도 든".split()), key=len, reverse=True))
#: Nouns that end as if with 인 (who is): "로그인" (to log in) is not of "로그" (a log).
_NOUNS_IN_IN = """
    로그인 도메인 온라인 오프라인 디자인 플러그인 애드인 빌트인 체크인 파이프라인 타임라인 인라인 커맨드라인
    가이드라인 블록체인
""".split()
#: What 하다 and 되다 behind a noun make it a verb with (실패 + 했을). Nouns end with 함 too (사물함, a locker), and with 해
#: behind these syllables (피해, damage).
_VERBS = (
    r"[하되][고며면지는기자니게도려러라던다더네나거죠시세신실십여였어었][가-힣]{0,4}|[한된](?:다[가-힣]{0,3}|데[가-힣]?)?"
    r"|[할될](?:까[가-힣]{0,2}|게[가-힣]?|지[가-힣]?|래[가-힣]?|때[가-힣]{0,2}|수[가-힣]{0,2})?|[합됩](?:니[다까]|시다)[만요고]?"
    r"|[했됐][가-힣]{1,5}|됨|돼[가-힣]{0,3}|(?<![재피방오침상저이공폐손])해(?:[요서도야라주줘보봐줄][가-힣]{0,4})?"
)
_KOREAN = re.compile(f"([가-힣]*(?:{'|'.join(_NOUNS_IN_IN)})|[가-힣]{{2,}}?)(?:{'|'.join(_KOREAN_ENDINGS)})*(?:{_VERBS})?")
#: Particles behind a word that is not Korean, and signs behind that: of these letters and digits no stem is looked for.
#: What counts things behind a number is kept: 10만, 5인, 3도, 3과.
_PARTICLE = re.compile(
    r"(?<=[^\W_가-힣])([+#()\[\]`'\"*’”」』]{0,3})(?!(?<=[0-9])[만인도과])"
    f"(?>(?:{_PARTICLES})+)(?![가-힣])" + r"(?=(\w?))"
)
#: Syllables that end with a vowel, as a class of a pattern: 란, 가 and 는 follow these, 이란, 이 and 은 the others.
OPEN_SYLLABLES = f"[{''.join(map(chr, range(0xAC00, 0xD7A4, 28)))}]"
#: Longer runs of syllables are no words, and trying every ending of them would take too long.
_MAX_SYLLABLES = 32


def korean_stem(word: str) -> str:
    """The shortest stem, of two syllables or more, that endings make the word of; nouns that end as if with one lose it too.

    >>> [korean_stem(word) for word in ("컴포넌트에서는", "검색합니다", "상태", "매크로를", "매크로")]
    ['컴포넌트', '검색', '상태', '매크', '매크']
    >>> [korean_stem(word) for word in ("실패했을", "예약했는데", "노출된", "삭제해주세요", "사물함", "자연재해")]
    ['실패', '예약', '노출', '삭제', '사물함', '자연재해']
    >>> [korean_stem(word) for word in ("로그인", "로그인을", "서브도메인에서", "로그를")]
    ['로그인', '로그인', '서브도메인', '로그']
    """
    found = _KOREAN.fullmatch(word) if 2 < len(word) <= _MAX_SYLLABLES else None
    if found is None or found.group(1) == word:
        return word
    return korean_stem(found.group(1))  # where words are joined, what is left may have an ending again


def without_particles(text: str) -> str:
    """A text without the Korean particles that follow letters or digits of other scripts; words that they join stay two.

    >>> without_particles("useEffect를 props에서는 C#은 3단계로 10만 key로 API와SDK")
    'useEffect props C# 3단계로 10만 key API SDK'
    """
    return _PARTICLE.sub(lambda found: f"{found[1]} " if found[2] else found[1], text)
