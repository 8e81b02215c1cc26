"""The small words of languages in Latin letters: articles, pronouns, prepositions, auxiliary verbs, words that ask.

They tell what language a text is in, and say nothing about what a question asks for. English has its own list, `STOP_WORDS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from schema.text.stop_words import STOP_WORDS

#: By ISO 639-1 code, with their accents.
FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": STOP_WORDS,
    **{
        code: frozenset(words.split())
        for code, words in {
            "cs": """
            a aby aj ale ani asi bez by bylo být co což do dobře i ja jak jako je jeho jejich její jen jenž
            ještě jsem jsou jste k kam kde kdo kdy kdyby když která které který mají mezi mi má mám máme mě
            může můžete můžu na nad nebo než nic o od po pod pokud pro protože proč před při s se si svůj ta
            tak také tam tato ten tento to tomu tu této v ve však z za ze že
            """,
            "da": """
            af alle at blev blive bliver da de dem den denne der deres det dette dig din dine disse du efter
            eller en er et for fra før gør han hans har havde have her hun hvad hvem hver hvilke hvilken
            hvis hvor hvordan hvorfor hvornår i ikke ind jeg kan kun kunne man med meget mellem men mig min
            mine når og også om op os over på sig sin sine skal skulle som så til ud under var ved vi vil
            ville være været
            """,
            "de": """
            aber alle als also am an auch auf aus außer bei beim bevor bin bis bitte da damit dann das dass
            dein dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch du durch ein
            eine einem einen einer eines er es etwas euch für gegen geht gibt hab habe haben hat hier ich
            ihm ihn ihr ihre ihrem ihren ihrer im in ist ja jede jeden jeder jetzt kann kannst kein keine
            keinen können könnte man mehr mein meine meinem meinen meiner mich mir mit muss müssen nach
            nicht noch nun nur ob obwohl oder ohne sein seine sich sie sind so sobald soll sollte sondern
            stehen steht um und uns unser unter vom von vor wann war warum was welche welchem welchen
            welcher welches wenn wer werden weshalb wie wieso will wir wird wo wobei woher wohin wozu wurde
            würde zu zum zur zwischen über
            """,
            "es": """
            a al algo alguna algún ante antes aquí así aunque cada como con cual cuando cuál cuáles cuándo
            cuánto cómo de del desde donde dos durante dónde e el ella ellos en entre era es esa ese eso
            esta estas este esto estos está están fue ha hace hacer hacia hago han hasta hay la las le les
            lo los me mi mis mucho muy más ni no nos o otra otro para pero por porque puede pueden puedo que
            quiero quién qué se sea según ser si sido sin sobre solo son su sus sí también tan te tener
            tengo tiene todo todos tu tus un una unas uno unos usted y ya yo él
            """,
            "fi": """
            ehkä ei eivät eli en entä että he hän häntä ja jo joka jos jossa jota joten jotka kanssa ken
            koska kuin kuinka kun kuten me miksi mikä millainen milloin minne minun minä missä miten mitä
            mitään mukaan mutta myös ne niin niitä noin nyt ole olen oli olisi olla on onko ovat se sekä sen
            siinä siitä sitä tai te tämä tämän tässä tätä vaan vai vain voi voiko voin voit ympäri
            """,
            "fr": """
            a afin ai alors au aucun aucune aussi autre autres aux avec avez avoir avons c car ce ceci cela
            celle celui ces cet cette ceux chaque chez comme comment d dans de depuis des donc dont du elle
            elles en encore entre es est et eux faire fait faut fois il ils j je l la le les leur leurs
            lorsque lui m ma mais me mes moi mon même n ne ni nos notre nous on ont ou où par pas peut
            peuvent peux plus pour pourquoi puis puis-je qu quand que quel quelle quelles quels qui quoi s
            sa sans se sera ses si soit son sont sous sur t ta te tes toi ton tous tout toute toutes tu un
            une vers vos votre vous y ça étaient était être
            """,
            "hu": """
            a abban ahhoz ahogy ahol aki akkor alatt amely amelyek ami amikor az azok azt be csak de egy
            egyik ehhez el ez ezek ezt ezzel fel ha hanem hogy hogyan hol honnan is itt kell ki le lehet
            lehetséges lesz majd meg mely melyik mert mi mikor milyen minden mint mit miért már még nagyon
            ne nekem nem nincs olyan ott sem szerint vagy vagyok van vannak volt én és
            """,
            "it": """
            a ad ai al alla alle allo anche avere c che chi ci come con cosa cui da dai dal dalla dalle
            degli dei del della delle dello di dopo dove e ed era essere fa fare fra gli ha hai hanno ho i
            il in io l la le lei lo loro ma mi mia mio ne negli nei nel nella nelle nello no noi non nostro
            o ogni per perché però più possiamo posso può qual quale quali quando quanto quella quello
            questa queste questi questo qui se sei senza si sia siamo solo sono sta su sua sue sugli sui sul
            sulla sulle suo te ti tra tu tutti tutto un una uno vi voi è
            """,
            "nl": """
            aan al alle als ben bij dan dat de deze die dit doe doen door een en er ge geen had heb hebben
            heeft het hij hoe hun ik in is je jij jouw kan kun kunnen kunt maar me meer met mij mijn moet
            moeten na naar niet nog nu of om omdat ons onze ook op over te tegen tot u uit uw van veel via
            voor waar waarom wanneer want was wat we wel welk welke werd wie wij wil worden wordt ze zich
            zij zijn zo zodat zonder zou
            """,
            "no": """
            alle at av ble blir da de deg dem den denne der deres det dette din disse du eller en er et
            etter for fra før gjør ha hadde han har hun hva hvem hver hvilke hvilken hvis hvor hvordan
            hvorfor i ikke inn jeg kan kun kunne man med mellom men mer min mitt må ned noe noen nå når og
            også om opp oss over på seg sin skal skulle slik som så til under ut var ved vi vil ville være
            vært
            """,
            "pl": """
            a aby albo ale bez by być był była było ci co czy dla do gdy gdzie go i ich ile im inne ja jak
            jaka jaki jakie jako jeden jednak jego jej jest jestem jeśli jeżeli już każdy kiedy kto która
            które którego której który lub ma mam mi mogę może można na nad nie niż o od oraz po pod poza
            przed przez przy się sobie swój są ta tak także tam te tego tej ten to tu tych tylko tym w we
            więc wszystko z za ze że
            """,
            "pt": """
            a ainda algum alguma antes ao aos aqui as até cada com como da das de dela dele depois do dos e
            ela ele eles em entre era essa esse esta este está estão eu fazer faço foi há isso isto já lhe
            mais mas me mesmo meu minha muito na nas nem no nos num numa não nós o onde os ou outra outro
            para pela pelas pelo pelos pode podem por porque posso quais qual quando que quem quero quê se
            sem sempre ser seu seus sim sobre sua suas são só também te tem tenho ter todo todos tu têm um
            uma umas uns você vocês à às é
            """,
            "ro": """
            a acea aceasta această acest aceste acestea acolo ai al ale am ar are as asta astfel au avea ca
            care ce cel cele cine cu cum când cât că da dacă dar de deci decât din după ea ei el ele era
            este eu face fi fie fost fără iar la le lor lui mai mea mei meu mult ne noi nu o ori pe pentru
            poate pot prin sa sau se sunt să ta te toate tot tu un una unde unei unor unui va voi vor îi îl
            în într între și
            """,
            "sv": """
            alla att av bara blev bli blir de dem den denna deras dess det detta dig din dina du där efter
            ej eller en er ett finns från få får för gör ha hade han har hon hur här i in inte jag kan kunde
            man med mellan men mer mig min mitt mot mycket måste ner nu när och också om oss på sedan sig
            sin sina ska skall skulle som så till under upp ut utan vad var vara varför vem vi via vid vilka
            vilken vill än är även
            """,
            "tr": """
            ama ancak bana ben beni bir biri birçok biz bu buna bunu bunun da daha de değil diye en eğer
            gibi hangi hem her hiç ile ise için kadar ki kim mi mu mü mı nasıl ne neden nedir nerede niçin o
            olabilir olan olarak olur onu onun sadece sen tüm var ve veya ya yok zaman çok çünkü şu
            """,
        }.items()
    },
}
