"""English words that say nothing, or little, about what is asked for; and those that are names where they are capitals."""

from __future__ import annotations

#: English words that are in questions about anything; a query drops them, unless it has no others. Sections keep them.
STOP_WORDS = frozenset(
    """
    a about after all also am an and another any are as at be because been before being between both but by can could did
    do does doing done down during each few for from further get gets getting had has have having he her here hers him his
    how i if in into is it its itself just let lets make makes making may me might more most must my no nor not of off on
    once only or other our ours out over own per same shall she should so some such than that the their theirs them then
    there these they this those through to too under until up upon us use used uses using very was we were what when where
    whether which while who whom whose why will with within without would you your yours
    """.split()
)
#: English words that say little about what is asked for. In an index of few sections they look rare, since most of them are
#: in no section: relevance counts less of them. A query keeps them, with their full weight.
LIGHT_WORDS = frozenset(
    """
    able again already always anything ask bad best better bit come even ever everything far find get give go good got
    happen help instead keep kind know last like long look lot many maybe mean much need never nothing often one people
    please possible put really right say see someone something sort still take tell thing think try want way work yet
    """.split()
)
#: English words that people ask with, whatever they ask for: greetings, thanks, where and how an answer is wanted. In a
#: question as long as a message they count little; in a short one they may be what is looked for.
ASKING_WORDS = LIGHT_WORDS | frozenset(
    """
    advice answer anyone anybody asap basic book brief briefly btw chapter cheers cite colleague confused curious describe
    described detail details doc docs documentation documented dear eli5 everybody everyone evening exact exactly explain
    explained explanation find folks friend guide guys handbook hear heard hello hey hi hour hours idk imo info information
    kindly learn link locate location lol manager manual mean meaning means mention mentioned mentor minute minutes month
    morning night official omg page paragraph part passage plain pls plz point question quick quote read recommend reference
    regards search section sentence sentences short show simple somebody sorry source stuck stuff summarise summarize summary
    tbh team teams tell thank thanks thx tldr today told tomorrow umm understand urgent wants week weekend wonder wondering
    yesterday
    """.split()
)
#: Stop words that are names of something else if they are written in capitals among other words.
ACRONYMS = frozenset({"IT", "US", "WHO"})
