"""Tags in Markdown: which attributes are read, and where a tag is taken for text."""

from indexer.markdown.html_tags import TagReader


def test_attributes_after_the_properties_of_an_object_are_read():
    tag = TagReader().read('<Card title="Keys" {...rest} href="/keys/" />', 0)
    assert tag.attributes == {"title": "Keys", "href": "/keys/"}


def test_tag_that_begins_with_the_properties_of_an_object_ends_at_its_bracket():
    text = "<Card {...{}}> <Card {...rest}>x"
    assert TagReader().read(text, 0) is None  # braces in braces
    assert TagReader().read(text, 15).end == len(text) - 1


def test_sixty_attributes_are_too_many_for_a_tag():
    def of(count):
        return TagReader().read(f"<a{' x' * count}>", 0)

    assert of(59).attributes == {"x": ""}
    assert of(60) is None


def test_an_attribute_may_hold_objects_in_lists():
    tag = TagReader().read("<T content={[{ a: { b: 1 } }]} x='y' />", 0)
    assert tag is not None
    assert (tag.name, tag.is_empty, tag.attributes["x"]) == ("T", True, "y")
