"""The words with which Japanese and Korean sentences ask somebody to tell, look for or explain: taken from a sentence.

They are the same whatever is asked for: an adverb, a place that says something ("the page where it is written"), a verb of
telling or wanting to know, and its ending. English words of this kind are single ones (`schema.text.stop_words`).
"""

from __future__ import annotations

import regex

from schema.text.stems import OPEN_SYLLABLES

#: Longer sentences are no prose, and are left as they are (characters).
_MAX_CHARACTERS = 200
_HANGUL, _KANA = regex.compile(r"\p{Hangul}"), regex.compile(r"[\p{Hiragana}\p{Katakana}]")


def _any(words: str) -> str:
    """A pattern for one of some patterns between blanks."""
    return f"(?:{'|'.join(words.split())})"


# -- Japanese
_PARTICLES = _any(
    """の(?:方法|やり方|仕方|こと)? に?(?:ついて|関して|関する) [をがはもか、] という(?:もの|の|こと)? って のか とは"""
)
_ADVERB = _any(
    """詳しく 詳細に 簡単に 簡潔に 具体的に [わ分]かりやすく やさしく 優しく 丁寧に 噛み砕いて ざっくり 手短に 一言で
    [一ひ][言と]?ことで もう少し ちゃんと どなたか 誰か 至急 早めに よければ できれば [、\\s]"""
)
_WRITTEN = (
    r"(?:(?:について|に関して|の|が|を)?"
    + _any("書かれ 書い 記載され 記載して 説明され 説明し 解説され 解説し 載っ 述べ 言及し 触れ まとめ 掲載され")
    + "[ぁ-ん]*)"
)
_ABOUT = r"(?:(?:に?(?:ついて|関して|関する)|という|該当する?|関連する?|関係する?|公式の?|根拠となる)+の?)"
# a place in a text, but no thing of its own ("the page of the settings") and not the end of a longer word
_PLACE = (
    rf"(?:{_WRITTEN}|{_ABOUT})(?<![\p{{Han}}\p{{Katakana}}ーA-Za-z])"
    + _any(
        """箇所 部分 セクション ページ ところ とこ 場所 所 ドキュメント 文書 資料 章 節 項目? 記述 説明 解説 記載 リンク URL
        案内 情報 回答例? 答え サンプル"""
    )
    + "(?:名|先)?"
)
_ENDING = r"[ぁ-んー〜、？?！!。お願致幸助思方様\s]*"
_KANA_ALONE = r"[ぁ-んー〜、？?！!。\s]*"
_WHERE = (
    r"(?:\s?の(?:場所|ところ|とこ|ドキュメント|ページ|リンク))?(?:は|って|が|の|を|も|に)?(?:どこ|どれ|どのページ|どの章|どの辺り?|どのあたり|何章)"
    rf"(?:[にでの]?{_any('ある あり ござい です でし だ なの なん か(?![ぁ-みむ-ん]) っけ 載っ 書[いか] 記載')}"
    rf"{_KANA_ALONE}"
    r"|[、？?！!。\s]*)"
)
_TELLING = (
    r"(?:(?<!\p{Han})(?:"
    + _any("教え おしえ 説明し 解説し まとめ 要約し 示し 案内し 紹介し 引用し 抜き出し 特定し")
    + r"(?=\p{Hiragana})(?!まし|た[。\s]|たら|てい?る)|"
    + _any("探し 検索し 調べ 見つけ 見せ")  # which may be what is asked about
    + r"て(?=くだ|下さ|ほし|欲し|もらえ|もらい|くれ|いただ|頂|ちょう))|"
    + _any("ご教示 ご教授 ご存[じ知] お教え お願い よろしく お?伺い(?=たい) 質問(?:が|を)?(?=あり|ある|させ|したい|です)")
    + "|"
    + _any("ご案内 ご紹介 ご説明 ご提示 ご連絡 お知らせ")
    + r"(?=[ぁ-んお願]))"
)
_WANTED = _any("知り 理解し 確認し 読み 読み返し 見 勉強し 学び") + "(?:た[いくか])"
_SAID = rf"(?:(?:の(?:場所|ところ|とこ)[をが]?)?(?:{_TELLING}|{_WANTED}){_ENDING})"
_GIVEN = rf"(?:(?:ある|あり|ござい)(?!ま?せん(?!か))(?!な)|ちょうだい|ください|欲し|ほし|お願い){_ENDING}"
_JAPANESE = regex.compile(
    rf"{_PARTICLES}{{0,4}}{_ADVERB}{{0,4}}(?:{_PLACE}(?:を|が|は|って|の|も|に|だけ|から|で|、){{0,3}}{_ADVERB}{{0,4}}"
    rf"(?:{_WHERE}|{_SAID}|{_GIVEN}|{_KANA_ALONE})"
    rf"|{_WHERE}(?:{_TELLING}{_ENDING})?|{_SAID})$",
    regex.VERSION1,
)
_JAPANESE_BEGINNING = regex.compile(
    rf"^(?:{_any('質問 相談 検索タスク タスク 依頼 至急 急募 お願い Q 問い?')}\s*[:：】\]]|【[^】]{{1,8}}】|@\w+\s"
    r"|(?:ドキュメント|マニュアル|資料|文書|公式)"
    r"(?:(?:から|で|の中から|に基づいて)(?:検索|参照|確認|調べ)?|を(?:検索|参照|確認|調べ))(?:して|し、|の上、?|て)?[、\s]*"
    r"|(?:[^、。]{0,12}(?:質問|相談|こと)(?:で|なのですが|なんですが|ですが|ですみませんが)(?:恐縮|申し訳|すみ|すい)?[ぁ-ん]{0,10}"
    rf"|{_any('すみません すいません 恐れ入りますが? (?:大変)?お手数ですが お忙しいところ[ぁ-ん]{0,8}')}"
    r"|ちょっと聞きたいんだけど"
    rf"|{_any('あの えー ねえ えっと')})[、\s]+)+"
)

# -- Korean: whole words, since the end of a noun may look like a particle (속도, 평가) or a word of these (주기)
_WORD, _END = r"(?<![가-힣])", r"(?![가-힣])"
_KOREAN_PLACE = (
    _any("설명 내용 안내 문서 자료 부분 페이지 섹션 개념 링크 정보 가이드 위치 예제 답변 소개 항목 절 장 글 곳 데 답")
    + _any("을 를 이 가 은 는 의 에서 에도? 도 으로 로 만")
    + "?"
)
_KOREAN_WRITTEN = (
    _WORD
    + _any("설명 정리 안내 기재 서술 소개 나온 나와 적힌 적혀 쓰인 다루는 다룬 언급")
    + r"(?:된|되어|돼|하는|한|해|해둔)?(?:\s?있는|\s?놓은)?\s"
)
# the favour that is asked behind a verb or a noun of telling, and what may follow it
_FAVOUR = (
    r"(?:" + _any("주[세실시면라셨십렴] 주길 줘 줄[래까게수] 줄(?=\\s|$) 달라 드[려리립릴] 봐 바[라랍] 부탁") + r"[가-힣]*)"
)
_KOREAN_REST = (
    r"(?:[\s,]+"
    + _any(
        """[수게거것건][는은도가이]? 좀 꼭 미리 정도 있[나을습어니으는][가-힣]{0,5} 없[나을어][가-힣]{0,4}
        싶[은어습네][가-힣]{0,3} 되나요? 될까요? 될지 돼요? 가능(?:한가요|할까요|하신가요|하실까요|해요|합니까)?
        부탁[가-힣]{0,6} 감사[가-힣]{0,6} 고맙[가-힣]{0,5} 바랍니다 바라요
        주[세실시십][가-힣]{0,6} 줘요? 줄래요? 해요? 하면 할까요 합니다 한데요 필요[가-힣]{0,6}"""
    )
    + _END
    + "){0,4}"
)
_KOREAN_TELLING = (
    rf"(?:{_WORD}(?:(?:(?:찾아|골라|정리해|요약해|설명해)서?\s)?"
    rf"{_any('알려 가르쳐 찾아 보여 잡아 골라 말해 도와 답해')}\s?{_FAVOUR}"
    rf"|{_any('설명 정리 요약 답변 안내 인용 확인 회신 검색 추천')}[을를]?\s?(?:좀\s)?(?:해\s?|하여\s?)?{_FAVOUR}"
    rf"|{_any('설명 요약')}[이을를]?\s?{_any('필요 원 요청 요망')}[가-힣]*"
    rf"|(?:부탁|궁금|모르겠|알고\s?싶|여쭤|여쭙|헷갈)[가-힣]*"
    rf"|알아보[가-힣]*\s?(?:싶|있|하|중)?[가-힣]*|알\s?수\s?(?:있|없)[가-힣]*|이해가\s?(?:안|잘|가|되|어)[가-힣\s]{{0,12}}"
    rf"|{_any('문의 질문')}(?:[드합할있이입]|하(?!기|는|면))[가-힣]*){_KOREAN_REST})"
)
# a particle goes with the syllable that it agrees with, and what is a subject only with a verb that can have it
_AGREEING = (
    rf"(?:(?<={OPEN_SYLLABLES})[를는](?=\s)|(?<=[가-힣])(?<!{OPEN_SYLLABLES})[을은](?=\s)"
    rf"|(?:(?<=[가-힣]{OPEN_SYLLABLES})가|(?<=[가-힣][가-힣])(?<!{OPEN_SYLLABLES})이)"
    rf"(?=\s{_any('궁금 어디 뭔 뭐 무엇 모르 헷갈 필요 나온 나와')}))"
)
_KOREAN_ABOUT = (
    rf"(?:에\s?(?:대해서?|대한|관해서?|관한){_END}|(?:이)?라는\s?(?:말|것|거|게)(?:을|를|이|은|는)?{_END}|{_AGREEING}"
    rf"|[,，]|\s|{_WORD}관련(?:해서|하여|된)?{_END}|{_WORD}혹시{_END}|{_WORD}(?:공식|해당|자세한){_END}){{0,6}}"
)
_KOREAN_HOW = (
    _WORD + _any("이거 그거 좀 쉽게 자세히 간단히 짧게 다시 어디[가-힣]{0,3} 어느 따로 있는지 있으면 인지 뭔지") + r"\s"
)
_KOREAN_WHERE = (
    rf"{_WORD}어디(?:에서?|서|에?\s?가면)?\s?"
    + _any(
        """있[나어습을는지죠니]? 나와\\s?있 나오[나는] 나와 적혀\\s?있 쓰여\\s?있 [볼찾확인할을]{1,4}\\s?수\\s?있
        인[지가] 예요 에요 야(?![가-힣]) 죠 임(?![가-힣]) (?=[\\s.?!~ㅠㅜㅋㅎ^]*$)"""
    )
    + r"[가-힣]{0,5}"
)
# a place in a text, and no thing of its own ("the page of errors")
_PLACE_OF_IT = rf"(?:{_KOREAN_WRITTEN}|(?<=(?:대한|관한|관련|관련된|해당|공식|자세한)\s)){_KOREAN_PLACE}"
_PLACE_TO_TELL = rf"{_WORD}{_any('페이지 문서 자료 섹션 링크 글 개념')}(?:[을를로]|으로|(?=\s좀))\s"
_KOREAN = regex.compile(
    rf"{_KOREAN_ABOUT}(?:{_PLACE_OF_IT}\s?|{_PLACE_TO_TELL}|{_KOREAN_HOW}){{0,6}}"
    rf"(?:{_KOREAN_TELLING}|{_KOREAN_WHERE}|{_PLACE_OF_IT}\s?(?:따로\s)?있(?:나요|을까요|습니까|어요?|나))"
    r"[\s.?!~ㅠㅜㅋㅎ^]*$",
    regex.VERSION1,
)
_KOREAN_BEGINNING = regex.compile(
    r"^(?:(?:질문|문의|검색어|제목|요청)\s?[:：]\s*|\[[^\]]{1,6}\]\s*"
    r"|(?:안녕하세요|저기요|혹시|음|아니|저|그런데|빠르게\s하나만\s여쭤볼게요|질문(?:이\s있|드립|있)[가-힣]*)[,~!.\s]+)+"
)


def without_request(sentence: str) -> str:
    """A sentence in Japanese or Korean without the words that ask to tell, look for or explain; it may be empty then.

    >>> without_request("スロットについて詳しく教えてください。"), without_request("합성 이벤트에 대해 설명해 주세요.")
    ('スロット', '합성 이벤트')
    >>> without_request("誤訳を見つけました。"), without_request("please explain slots")
    ('誤訳を見つけました。', 'please explain slots')
    """
    if len(sentence) > _MAX_CHARACTERS:
        return sentence
    if _HANGUL.search(sentence):
        return _KOREAN.sub("", _KOREAN_BEGINNING.sub("", sentence), count=1).strip()
    if _KANA.search(sentence):
        return _JAPANESE.sub("", _JAPANESE_BEGINNING.sub("", sentence), count=1).strip()
    return sentence
