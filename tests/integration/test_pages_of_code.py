"""A page whose answer is code, a name or a table stays before pages that only have more prose."""

import pytest

TEA = "# Tea\n\nTea is made at three in the kitchen of the second floor, every day.\n"
DOCUMENTS = {
    "install": "# Quickstart\n\n```\nnpm install kaede-tools\nkaede login --token ABC\n```\n\n## Configuration\n\nSet the colour of "
    "the output and the language of the messages in the file of settings.\n\n## Uninstalling\n\nDelete the folder and remove "
    "the line from your profile.\n",
    "backup": "# Restore a backup\n\n```sh\npg_restore --clean --dbname=shop /backups/latest.dump\n```\n\n## When backups are "
    "made\n\nEvery night at two. The office looks at the log in the morning.\n",
    "owner": "# Maintainer\n\nHaruka Sato\n\n## About this page\n\nIt is changed once a year by the office.\n",
    "wifi": "# Guest wifi password\n\n`sunflower-9`\n\n## Changes\n\nIt is changed each spring by the office, and the new one is "
    "put on the wall.\n",
    "linux": "# Install\n\n```\napt install kaede-gateway\n```\n",
    "windows": "# Install\n\nDownload the setup program from the share of the office and run it. It asks for the folder and for "
    "the name of the machine, and restarts the service when it is done.\n",
    "tea": TEA,
}


@pytest.fixture
def pages(project):
    for name, text in DOCUMENTS.items():
        project.write(f"docs/{name}.md", text)
    project.index()
    return project.engine()


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("npm install kaede-tools", "install"),
        ("kaede login", "install"),
        ("pg_restore --clean", "backup"),
        ("Haruka Sato", "owner"),
        ("sunflower-9", "wifi"),
    ],
)
def test_beginning_of_code_or_of_a_name_that_holds_the_question_stays_first(pages, query, path):
    hit = pages.search(query)[0]
    assert (hit.section.document_path, hit.section.position) == (f"docs/{path}.md", 0)


@pytest.mark.parametrize("query", ["kaede-gateway", "apt install kaede-gateway"])
def test_page_of_code_stays_before_a_page_of_its_title_that_lacks_the_question(pages, query):
    hits = pages.search(query, limit=3)
    assert hits[0].section.document_path == "docs/linux.md"
    assert all(hit.relevance < 0.3 for hit in hits if hit.section.document_path == "docs/windows.md")
