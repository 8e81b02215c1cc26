"""The table of a store as LanceDB itself opens it: for what our own code neither shows nor does, such as damage."""

from schema.storage.maintenance import TABLE_NAME, connect


def lance_table(store):
    """The table in the folder `store`, or in the object store that it stands for, at its newest version."""
    return connect(store, follow=False).open_table(TABLE_NAME)


def indexed_columns(store):
    """The columns of a store's table that have an index."""
    return {column for index in lance_table(store).list_indices() for column in index.columns}
