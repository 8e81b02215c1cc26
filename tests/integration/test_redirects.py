"""What links say about the order: pages that only lead elsewhere, and sections of the same name that others link to."""

import pytest

GUIDE = (
    "# Operating\n\n## Rotating the keys of a gateway\n\nOnce a year the operator makes new keys, hands them to the clients, and "
    "takes the old ones back when no client has used them for a week.\n"
)
NOTICE = "This is an old link to the first edition of the manual.\n\n> Keys are rotated so that a stolen one is of no use for long.\n"
MOVED = {
    "a sentence with a link": "# Rotating keys\n\nThis page has moved to [the guide](guide.md).\n",
    "a note that names another": "# Rotating keys\n\nSee [[guide]].\n",
    "a quotation and a link to a page of the site": f"# Rotating keys\n\n{NOTICE}> The operator does it.\n\nRead [it](../book/guide.html).\n",
    "front matter and a link": "---\ntitle: Rotating keys\n---\n\n[Guide](guide.md#rotating-the-keys-of-a-gateway)\n",
}


def first_path(project, query):
    with project.engine() as engine:
        return engine.search(query, limit=3)[0].section.document_path


@pytest.mark.parametrize("form", MOVED)
def test_page_that_leads_to_another_stands_behind_it(project, form):
    project.write("docs/guide.md", GUIDE)
    project.write("docs/old.md", MOVED[form])
    project.index()
    assert first_path(project, "rotating keys") == "docs/guide.md"


def test_note_that_answers_stands_before_the_page_that_it_links_to(project):
    note = "# Rotating keys\n\nAsk Ana for the new keys, put them into the safe, and tell the clients. More is in [the guide](guide.md).\n"
    project.write("docs/guide.md", GUIDE)
    project.write("docs/note.md", note)
    project.index()
    assert first_path(project, "rotating keys") == "docs/note.md"


def test_explained_scores_name_the_exchange(project):
    project.write("docs/guide.md", GUIDE)
    project.write("docs/old.md", MOVED["a sentence with a link"])
    project.index()
    with project.engine() as engine:
        first, second = engine.search("rotating keys", limit=2)
    assert first.parts["placeholder"] == -second.parts["placeholder"] > 0


def test_section_that_others_link_to_stands_before_another_of_the_same_name(project):
    text = "# {}\n\n## Key slots\n\nA slot holds one key of the {}.\n"
    project.write("docs/api.md", text.format("Interface", "gateway"))
    project.write("docs/guide.md", text.format("Guide", "gateway"))
    project.index()
    assert first_path(project, "key slots") == "docs/api.md"
    project.write("docs/start.md", "# Start\n\nRead about [slots](guide.md#key-slots) first.\n")
    project.index()
    assert first_path(project, "key slots") == "docs/guide.md"


STAFF = (
    "# Staff\n\nEveryone of the staff.\n\n## Rotating keys\n\nRotating keys keeps a stolen one from being of use for long, and it is "
    "done by two operators of the gateway, who rotate the keys of all of its clients once a year. {}\n"
)
PROCESS = "# Rotating keys: process\n\nFor operators.\n\n## Steps\n\n" + "Hand new ones to the clients. " * 20


@pytest.mark.parametrize(
    ("link", "first"),
    [
        ("See [there](operating/process.md).", "docs/operating/process.md"),
        ("See [there](https://example.org/team/blob/main/operating/process.md#steps).", "docs/operating/process.md"),
        ("See [there](https://example.org/team/blob/main/other/process.md).", "docs/staff.md"),
        ("", "docs/staff.md"),
    ],
)
def test_page_stands_before_a_section_of_the_same_name_that_leads_to_it(project, link, first):
    project.write("docs/staff.md", STAFF.format(link))
    project.write("docs/operating/process.md", PROCESS)
    project.index()
    assert first_path(project, "rotating keys") == first
