"""A vault of notes with links of every kind."""

#: Forty notes: people and days with simple links, and some with every kind of link.
PEOPLE = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gwen", "Hugo", "Iris", "Jon"]
VAULT = {
    **{f"People/{name}.md": f"# {name}\n\nKnows [[{other}]].\n" for name, other in zip(PEOPLE, PEOPLE[1:] + PEOPLE[:1], strict=True)},
    **{f"Daily/2026-01-{day:02}.md": f"# Day {day}\n\nMet [[{PEOPLE[day % 10]}|a friend]] about [[Harvest]].\n" for day in range(1, 21)},
    "Home.md": "# Home\n\n[[Orchard]], [[orchard#pruning]], [[Orchard#^age|how old]], [[The big garden]], [[Garden/Pears]].\n\n"
    "## More\n\n![[Orchard]] and ![[sketch.png]] and [Apples](Garden/Apples.md#Keeping%20them) and [[Missing note]].\n",
    "Orchard.md": "---\naliases: [The big garden, OG]\ntitle: Old trees\n---\n# Orchard\n\nTrees are 90 years old. ^age\n\n"
    "## Pruning\n\nIn winter: see [here](#pruning), [[#Orchard]] and [[OG]].\n\n#### Tools needed\n\nA saw.\n",
    "Garden/Apples.md": "# Apples\n\n## Keeping them\n\nBeside [[Pears]]. %% not [[Hidden]] %%\n\n`[[Code]]`\n",
    "Garden/Pears.md": "# Pears\n\nSee [tools](../Orchard.md#tools-needed), [[Apples#Keeping them]] and <https://example.org>.\n",
    "Archive/Pears.md": "# Old pears\n\n[[Apples]]\n",
    "Harvest.md": "# Harvest\n\n[Orchard] and [the days][d].\n\n[orchard]: Orchard.md 'A title'\n[d]: <Daily/>\n",
    "Recipes/Pie.md": "# Pie\n\n[[Pears]] and [[Archive/Pears|old ones]].\n",
    "Recipes/Jam.md": "# Jam\n\n[[Nobody wrote this]]\n",
    "Index.md": "# Index\n\n" + "\n".join(f"- [[{name}]]" for name in PEOPLE) + "\n",
    "Lonely.md": "# Lonely\n\nNo link here.\n",
}  # fmt: skip
