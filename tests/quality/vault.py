"""A vault of forty notes as a person keeps them: aliases, tags, links, callouts and comments; and questions by title or alias."""

from pathlib import Path

#: Path, front matter, text.
_NOTES: list[tuple[str, str, str]] = [
    ("Home.md", "", "# Home\n\nStart at [[Projects/Harbour]] or the [[Reading list]].\n"),
    ("Inbox.md", "", "- call the plumber\n- ask [[Mina Park]] for the slides %%not urgent%%\n"),
    ("Reading list.md", "aliases: [books to read, TBR]", "- The Mythical Man-Month\n- Designing Data-Intensive Applications\n"),
    ("Projects/Harbour.md", "title: Harbour\naliases: [billing rewrite, project H]\ntags: [project/infra]",
     "Harbour moves invoices from the old billing system to the new one.\n\n## Milestones\n\nFirst customers in March.\n\n## Risks\n\nTwo currencies are not rounded alike.\n"),
    ("Projects/Lantern.md", "aliases: search relaunch\ntags: [project/search]",
     "# Lantern\n\nLantern replaces the search box on the site.\n\n## Open questions\n\nWho owns the synonyms?\n"),
    ("Projects/Driftwood.md", "aliases:\n  - on-call reform\n  - pager project\ntags: project/people",
     "# Driftwood\n\nFewer pages at night: every alarm needs a runbook. #alarms\n"),
    ("Projects/Kite.md", "tags: [project/mobile, archive]", "# Kite\n\nThe mobile app was stopped in 2023. See [[Decision 12]].\n"),
    ("Projects/Tern.md", "aliases: [data lake move]", "# Tern\n\nAll tables move to object storage before summer.\n"),
    ("Decisions/Decision 7.md", "aliases: [ADR 7, why Postgres]\ntags: decision",
     "# Decision 7\n\nWe keep one Postgres per product.\n\n## Why\n\nBackups and upgrades stay simple. ^why\n"),
    ("Decisions/Decision 12.md", "aliases: [ADR 12, end of the app]\ntags: decision", "# Decision 12\n\nThe mobile app ends; the site must work on phones.\n"),
    ("Decisions/Decision 15.md", "aliases: [ADR 15, monorepo]\ntags: decision", "# Decision 15\n\nAll services live in one repository.\n"),
    ("Decisions/Decision 21.md", "aliases: [ADR 21, feature flags]\ntags: decision", "# Decision 21\n\nEvery risky change ships behind a flag that expires.\n"),
    ("People/Mina Park.md", "aliases: [박미나, head of design]\ntags: person", "# Mina Park\n\nLeads design. Likes agendas a day ahead.\n"),
    ("People/Tomas Ruiz.md", "aliases: [Tom, database person]\ntags: person", "# Tomas Ruiz\n\nKnows every slow query. Out on Fridays.\n"),
    ("People/佐藤 恵.md", "aliases: [Megumi Sato, 経理の佐藤さん]\ntags: person", "# 佐藤 恵\n\n経理の担当。請求書の質問はこちらへ。\n"),
    ("People/Ada Okafor.md", "aliases: [CTO]\ntags: person", "# Ada Okafor\n\nAsk her before any new vendor.\n"),
    ("Howto/Restore a backup.md", "aliases: [disaster recovery, 백업 복구]", "# Restore a backup\n\n> [!warning] Stop the writers first\n> A restore over a live database loses both.\n\n## Steps\n\n1. Stop the service.\n2. Run `restore --latest`.\n"),
    ("Howto/Rotate keys.md", "aliases: [secret rotation, 鍵の更新]", "# Rotate keys\n\nMake the new key, deploy it, wait a day, remove the old one.\n"),
    ("Howto/New laptop.md", "aliases: [machine setup, onboarding a computer]", "# New laptop\n\nInstall the package manager first, then clone the dotfiles.\n"),
    ("Howto/Expense report.md", "aliases: [getting money back, 経費精算]", "# Expense report\n\nSend photos of receipts before the fifth.\n"),
    ("Howto/Book a room.md", "aliases: [meeting rooms]", "# Book a room\n\nRooms are in the calendar under Resources.\n"),
    ("Howto/Release.md", "aliases: [shipping a version, deploy day]", "# Release\n\n> [!tip]- Who may release\n> Everyone after their first month.\n\nTag, wait for the checks, announce.\n"),
    ("Meetings/2024-01-09 Planning.md", "aliases: [January planning]\ntags: meeting", "# 2024-01-09 Planning\n\nWe chose ==two projects== for the quarter: [[Harbour]] and [[Lantern]].\n"),
    ("Meetings/2024-02-13 Retro.md", "aliases: [February retro]\ntags: meeting", "# 2024-02-13 Retro\n\nToo many meetings; Wednesdays stay free.\n"),
    ("Meetings/2024-03-05 Incident 44.md", "aliases: [Incident 44, the certificate outage]\ntags: [meeting, incident]", "# 2024-03-05 Incident 44\n\nThe certificate ran out at 3 am. #incident/tls\n"),
    ("Meetings/2024-04-02 Board.md", "aliases: [board meeting]\ntags: meeting", "# 2024-04-02 Board\n\nThe board asked for churn by country.\n"),
    ("Concepts/Idempotency.md", "aliases: [safe retries, 멱등성]", "# Idempotency\n\nThe same request twice changes things once.\n"),
    ("Concepts/Backpressure.md", "aliases: [flow control]", "# Backpressure\n\nA slow reader slows the writer instead of filling memory.\n"),
    ("Concepts/Consistent hashing.md", "aliases: [hash ring]", "# Consistent hashing\n\nWhen a node leaves, only its keys move.\n"),
    ("Concepts/Eventual consistency.md", "aliases: [結果整合性]", "# Eventual consistency\n\nReaders may see old values for a while.\n"),
    ("Concepts/Sourdough.md", "aliases: [bread starter, 천연 발효종]\ntags: [food/baking]", "# Sourdough\n\nFeed it flour and water every morning.\n"),
    ("Concepts/Zettelkasten.md", "aliases: [slip box, 付箋式ノート]", "# Zettelkasten\n\nOne thought in each note, linked to others.\n"),
    ("Travel/Lisbon.md", "aliases: [Portugal trip]\ntags: [travel/europe]", "# Lisbon\n\nTram 28 early, before the queues.\n"),
    ("Travel/京都.md", "aliases: [Kyoto, 京都旅行]\ntags: [travel/asia]", "# 京都\n\n朝の伏見稲荷は静か。\n"),
    ("Travel/Packing.md", "aliases: [what to take along]", "# Packing\n\nCharger, passport, rain jacket.\n"),
    ("Home/Boiler.md", "aliases: [heating, 보일러]\ntags: [home/repairs]", "# Boiler\n\nPressure between 1 and 2 bar; refill at the blue tap.\n"),
    ("Home/Garden.md", "aliases: [vegetable beds]\ntags: [home/garden]", "# Garden\n\nTomatoes after the last frost.\n"),
    ("Home/Insurance.md", "aliases: [policies, 保険]", "# Insurance\n\nThe house policy ends in October.\n"),
    ("Home/Wifi.md", "aliases: [router, guest network]", "# Wifi\n\nThe guest password hangs in the hall. %%hunter2%%\n"),
    ("Home/Taxes.md", "aliases: [tax return, 確定申告]", "# Taxes\n\nDue at the end of July.\n"),
]  # fmt: skip

#: A question that names a note by its title or by another name, and the note.
QUESTIONS: list[tuple[str, str]] = [
    ("ADR 7", "Decisions/Decision 7.md"),
    ("adr 12", "Decisions/Decision 12.md"),
    ("why Postgres", "Decisions/Decision 7.md"),
    ("monorepo", "Decisions/Decision 15.md"),
    ("what is our rule on feature flags", "Decisions/Decision 21.md"),
    ("billing rewrite", "Projects/Harbour.md"),
    ("project H", "Projects/Harbour.md"),
    ("search relaunch", "Projects/Lantern.md"),
    ("pager project", "Projects/Driftwood.md"),
    ("on-call reform", "Projects/Driftwood.md"),
    ("data lake move", "Projects/Tern.md"),
    ("TBR", "Reading list.md"),
    ("books to read", "Reading list.md"),
    ("박미나", "People/Mina Park.md"),
    ("who is our database person", "People/Tomas Ruiz.md"),
    ("Megumi Sato", "People/佐藤 恵.md"),
    ("経理の佐藤さん", "People/佐藤 恵.md"),
    ("CTO", "People/Ada Okafor.md"),
    ("disaster recovery", "Howto/Restore a backup.md"),
    ("백업 복구", "Howto/Restore a backup.md"),
    ("鍵の更新", "Howto/Rotate keys.md"),
    ("secret rotation", "Howto/Rotate keys.md"),
    ("経費精算", "Howto/Expense report.md"),
    ("Incident 44", "Meetings/2024-03-05 Incident 44.md"),
    ("the certificate outage", "Meetings/2024-03-05 Incident 44.md"),
    ("멱등성", "Concepts/Idempotency.md"),
    ("hash ring", "Concepts/Consistent hashing.md"),
    ("slip box", "Concepts/Zettelkasten.md"),
    ("京都旅行", "Travel/京都.md"),
    ("guest network", "Home/Wifi.md"),
]


def write_vault(folder: Path) -> None:
    """Write the notes, and the folder that shows a vault."""
    (folder / ".obsidian").mkdir(parents=True)
    for path, front, text in _NOTES:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"---\n{front}\n---\n{text}" if front else text, encoding="utf-8")
