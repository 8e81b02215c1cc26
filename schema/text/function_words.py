"""The small words of languages that set blanks between words: articles, pronouns, prepositions, auxiliary verbs and others.

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
            "ar": """
            أكثر أم أما أن أنا أنت أنتم أو أي أية أيضا أيضًا أين إذا إلا إلى إليه إليها إما إن التي الذي
            الذين اللذان الى بدون بعد بعض بل بما به بها بين تحت تكون تلك ثم جدا جدًا حتى حول حيث خلال
            دون ذلك سوف ضد عبر على عليه عليها عن عند عندما عنه عنها غير فقط فوق في فيما فيه فيها قبل قد
            كان كانت كانوا كذلك كل كم كما كي كيف لأن لك لكن لكي لماذا لنا له لها لهم لو لي ما ماذا متى
            مثل مع معه مما من منذ منه منها نحن نحو هؤلاء هذا هذه هل هم هن هنا هناك هو هي و وفي وما ومن
            وهو وهي يجب يكون يمكن يمكنك يمكنني
            """,
            "cs": """
            a aby aj ale anebo ani aniž ano asi až bez bude budete budou budu by bych bychom byl byla
            byli bylo byly byste být co což další dle do dobře dokud ho i ja jak jako jaká jaké jaký je
            jeho jej jejich její jemu jen jenom jenž jestli jestliže ještě ji jich jim jimi jiné již
            jsem jsi jsme jsou jste já jí k kam každou každá každé každého každý kde kdo kdy kdyby když
            ke kolik kterou která které kterého kterém který kterých kterým kteří kvůli lze mají mezi mi
            mne mnou mohl mohla mohou mohu moje musí musím musíte my má mám máme máte mít mě můj může
            můžeme můžete můžu na nad naše nebo než nic nich nám nás náš ním něco některé některý o od
            on ona oni ono po pod podle pokud pomocí potom pouze pro proto protože proč před přes při s
            se si svou své svého svém svůj sám ta tady tak taková takové takový také takže tam tato te
            tedy ten tento ti to tohle toho tohoto tom tomto tomu toto touto tu tuto ty tyto této tím
            těch těchto těmito u už v vaše vašeho vašem vaši vaší ve vy vám vámi vás váš více však všech
            všechno všechny z za zda zde ze že
            """,
            "da": """
            af alle at blev blive bliver da de dem den denne der deres det dette dig din dine disse du
            efter eller en er et for fra før gør han hans har havde have her hun hvad hvem hver hvilke
            hvilken hvis hvor hvordan hvorfor hvornår i ikke ind jeg kan kun kunne man med meget mellem
            men mig min mine når og også om op os over på sig sin sine skal skulle som så til ud under
            var ved vi vil ville være været
            """,
            "de": """
            aber alle als also am an auch auf aus außer bei beim bevor bin bis bitte da damit dann das
            dass dein dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch du
            durch ein eine einem einen einer eines er es etwas euch für gegen geht gibt hab habe haben
            hat hier ich ihm ihn ihr ihre ihrem ihren ihrer im in ist ja jede jeden jeder jetzt kann
            kannst kein keine keinen können könnte man mehr mein meine meinem meinen meiner mich mir mit
            muss müssen nach nicht noch nun nur ob obwohl oder ohne sein seine sich sie sind so sobald
            soll sollte sondern stehen steht um und uns unser unter vom von vor wann war warum was
            welche welchem welchen welcher welches wenn wer werden weshalb wie wieso will wir wird wo
            wobei woher wohin wozu wurde würde zu zum zur zwischen über
            """,
            "es": """
            a al algo alguna algún ante antes aquí así aunque cada como con cual cuando cuál cuáles
            cuándo cuánto cómo de del desde donde dos durante dónde e el ella ellos en entre era es esa
            ese eso esta estas este esto estos está están fue ha hace hacer hacia hago han hasta hay la
            las le les lo los me mi mis mucho muy más ni no nos o otra otro para pero por porque puede
            pueden puedo que quiero quién qué se sea según ser si sido sin sobre solo son su sus sí
            también tan te tener tengo tiene todo todos tu tus un una unas uno unos usted y ya yo él
            """,
            "fi": """
            ehkä ei eivät eli en entä että he hän häntä ja jo joka jos jossa jota joten jotka kanssa ken
            koska kuin kuinka kun kuten me miksi mikä millainen milloin minne minun minä missä miten
            mitä mitään mukaan mutta myös ne niin niitä noin nyt ole olen oli olisi olla on onko ovat se
            sekä sen siinä siitä sitä tai te tämä tämän tässä tätä vaan vai vain voi voiko voin voit
            ympäri
            """,
            "fr": """
            a afin ai alors au aucun aucune aussi autre autres aux avec avez avoir avons c car ce ceci
            cela celle celui ces cet cette ceux chaque chez comme comment d dans de depuis des donc dont
            du elle elles en encore entre es est et eux faire fait faut fois il ils j je l la le les
            leur leurs lorsque lui m ma mais me mes moi mon même n ne ni nos notre nous on ont ou où par
            pas peut peuvent peux plus pour pourquoi puis puis-je qu quand que quel quelle quelles quels
            qui quoi s sa sans se sera ses si soit son sont sous sur t ta te tes toi ton tous tout toute
            toutes tu un une vers vos votre vous y ça étaient était être
            """,
            "hu": """
            a abban ahhoz ahogy ahol aki akkor alatt amely amelyek ami amikor az azok azt be csak de egy
            egyik ehhez el ez ezek ezt ezzel fel ha hanem hogy hogyan hol honnan is itt kell ki le lehet
            lehetséges lesz majd meg mely melyik mert mi mikor milyen minden mint mit miért már még
            nagyon ne nekem nem nincs olyan ott sem szerint vagy vagyok van vannak volt én és
            """,
            "id": """
            ada adalah agar akan aku anda antara apa apakah atau bagaimana bagi bahwa beberapa berapa
            bila bisa boleh dalam dan dapat dari dengan di dia hanya harus hingga ia ialah ini itu jika
            juga kalau kami kamu kapan karena ke kenapa ketika kita lagi lah lebih maka mana masih
            maupun melalui mengapa mereka namun nya oleh pada paling para perlu pun saat saja sampai
            sangat saya sebab sebagai sebelum sebuah secara sedang sehingga semua seperti serta sesudah
            setelah setiap siapa suatu sudah supaya telah tentang terhadap tersebut tetapi untuk yang
            """,
            "it": """
            a ad ai al alla alle allo anche avere c che chi ci come con cosa cui da dai dal dalla dalle
            degli dei del della delle dello di dopo dove e ed era essere fa fare fra gli ha hai hanno ho
            i il in io l la le lei lo loro ma mi mia mio ne negli nei nel nella nelle nello no noi non
            nostro o ogni per perché però più possiamo posso può qual quale quali quando quanto quella
            quello questa queste questi questo qui se sei senza si sia siamo solo sono sta su sua sue
            sugli sui sul sulla sulle suo te ti tra tu tutti tutto un una uno vi voi è
            """,
            "nl": """
            aan al alle als ben bij dan dat de deze die dit doe doen door een en er ge geen had heb
            hebben heeft het hij hoe hun ik in is je jij jouw kan kun kunnen kunt maar me meer met mij
            mijn moet moeten na naar niet nog nu of om omdat ons onze ook op over te tegen tot u uit uw
            van veel via voor waar waarom wanneer want was wat we wel welk welke werd wie wij wil worden
            wordt ze zich zij zijn zo zodat zonder zou
            """,
            "no": """
            alle at av ble blir da de deg dem den denne der deres det dette din disse du eller en er et
            etter for fra før gjør ha hadde han har hun hva hvem hver hvilke hvilken hvis hvor hvordan
            hvorfor i ikke inn jeg kan kun kunne man med mellom men mer min mitt må ned noe noen nå når
            og også om opp oss over på seg sin skal skulle slik som så til under ut var ved vi vil ville
            være vært
            """,
            "pl": """
            a aby albo ale ani aż bardzo bez bo by być był była było były będzie będą ci cię co coś
            czego czemu czy czyli czym dla dlaczego dlatego do dzięki gdy gdyby gdzie go i ich ile im
            inne innych iż ja jak jaka jaki jakich jakie jakim jako jakoś jaką je jeden jednak jednego
            jednej jego jej jemu jest jestem jesteś jeszcze jeśli jeżeli już ją każda każde każdego
            każdy kiedy kiedyś kogo komu kto ktoś która które którego której który których którym
            którymi którzy którą lub ma mam mamy masz mi mnie mogą mogę moja moje może możemy możesz
            można mu musi musisz muszę my mój na nad należy nam nas nasz nasza nasze nich nie niego niej
            nim nimi niż no o obok od on ona one oni ono oraz po pod podczas ponieważ powinien
            powinienem powinna powinno poza przed przez przy raz również sam się skąd sobie swoich swoje
            swoją swój są ta tak taka taki takich takie także tam te tego tej temu ten też to tobie
            trzeba tu twoja twoje twój ty tych tylko tym tymi w wam was wasz we wiele więc więcej
            wszystkich wszystkie wszystko z za zawsze ze że żeby
            """,
            "pt": """
            a ainda algum alguma antes ao aos aqui as até cada com como da das de dela dele depois do
            dos e ela ele eles em entre era essa esse esta este está estão eu fazer faço foi há isso
            isto já lhe mais mas me mesmo meu minha muito na nas nem no nos num numa não nós o onde os
            ou outra outro para pela pelas pelo pelos pode podem por porque posso quais qual quando que
            quem quero quê se sem sempre ser seu seus sim sobre sua suas são só também te tem tenho ter
            todo todos tu têm um uma umas uns você vocês à às é
            """,
            "ro": """
            a acea aceasta această acest aceste acestea acolo ai al ale am ar are as asta astfel au avea
            ca care ce cel cele cine cu cum când cât că da dacă dar de deci decât din după ea ei el ele
            era este eu face fi fie fost fără iar la le lor lui mai mea mei meu mult ne noi nu o ori pe
            pentru poate pot prin sa sau se sunt să ta te toate tot tu un una unde unei unor unui va voi
            vor îi îl în într între și
            """,
            "ru": """
            а без более бы был была были было быть в вам вас ваш ваша ваше ваши ведь весь во вот все
            всего всех всё вы где да даже для до его ее если есть еще ещё её же за зачем здесь и из или
            им их к каждый как какая какие каким каких какое какой ко когда которая которое которые
            который которых кто куда ли между меня мне могу может можно мои мой моя моё мы на над надо
            нам нас наш наша него нее неё них но ну нужно о об однако он она они оно от откуда очень
            перед по под пока после потому почему при про с своего свои своих свой своя себе себя
            сколько со так такая также такие такой там тем то того тоже только том тот ту ты у уже чего
            чей чем через что чтобы чьи эта эти этих это этого этой этом этот эту я является
            """,
            "sv": """
            alla att av bara blev bli blir de dem den denna deras dess det detta dig din dina du där
            efter ej eller en er ett finns från få får för gör ha hade han har hon hur här i in inte jag
            kan kunde man med mellan men mer mig min mitt mot mycket måste ner nu när och också om oss
            på sedan sig sin sina ska skall skulle som så till under upp ut utan vad var vara varför vem
            vi via vid vilka vilken vill än är även
            """,
            "tr": """
            acaba ama ancak artık aslında ayrıca bana bazı başka ben beni beri bile bir biraz birden
            biri birlikte birçok biz bizim bu buna bunlar bunları bunların bunu bunun böyle da daha dahi
            de değil değildir diye dışında edebilir edebilirsiniz eden eder edilen edilir en etmek etmez
            eğer gerekir gibi göre hakkında halde hale hangi hangisi hem henüz hep hepsi her hiç ile ise
            için içinde kadar kendi kendisi kez ki kim kimin mi misin misiniz miyim mu musun muyum mü
            müsünüz mı mısın mısınız mıyım nasıl nasıldır ne neden nedenle nedir nerede nereden nereye
            niçin o olabilir olabilirsiniz olacak olan olarak oldukça olduğu olduğunda olduğunu olmadan
            olmak olmalıdır olması olmayan olur onlar onlara onların onu onun rağmen sadece sen siz size
            sizin tarafından tüm var vardır ve veya veyahut ya yani yapabilirim yapar yapmalıyım yapılır
            yine yok yoksa zaman zaten çok çünkü önce öyle üzere üzerinde üzerinden şey şu şunlar şöyle
            """,
            "uk": """
            а або адже але без би бо був була були було бути в вам вас ваш ваша ваше вашого вашому вашої
            ваші вже ви вона вони воно все всі всіх від він де для до досить з за завжди звідки зі й
            його йому кожен кожна кожного кожному кожної коли куди лише мене мені ми може можете можна
            можу моя моє мої між мій на над нам нас наш наша ну нього ніж о один однак ось перед по
            потрібно при про під після сам своє своєму свої своїх свій себе скільки та так така такий
            також такі там те ти тим то тобто того тоді той тому тільки у усі хто це цей цих цього цьому
            цю ця ці цій цієї через чи чим чиї чого чому ще що щоб щодо я як яка яке який яким яких
            якого якому якої якщо які є і із інші їм їх їхній її
            """,
            "vi": """
            ai anh bao bà bạn bằng bị bởi cho chúng chỉ các còn có cùng cũng cả cần của do dù dưới em
            giữa gì hay hoặc hãy hơn họ khi kia là lên lại muốn mà mình mấy mọi mỗi một ngoài nhiêu
            nhiều như nhưng nhất nhằm những nào này nên nó nếu phải qua ra rất rồi sao sau sẽ ta theo
            thì thế trong trên trước tuy tôi tại tới từ và vào vì vẫn vậy về với xuống ít ông đang đâu
            đây đã đó đến đều để ấy ở
            """,
        }.items()
    },
}
