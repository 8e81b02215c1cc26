"""Machines with caches of their own that share an index in an object store, which is in memory."""

import contextlib

from schema.remote import caches, session
from schema.remote.folders import remote_of, store_name
from schema.remote.objects import Objects


class Machine:
    """A machine with caches of its own, whose index has one small file; `doubts` counts how often it was doubted."""

    def __init__(self, folder, store):
        self.remote = remote_of(folder)
        self.folder = self.remote.folder
        self.objects = Objects(store, self.remote)
        self.doubts = 0

    def places(self, _folder, store):
        return {"ledger": store / "ledger"}

    def doubt(self, _store):
        self.doubts += 1

    def writing(self):
        return session.writing(self.remote, self.places, self.doubt, wait=0, give_up=None, is_single=False)

    def make(self, text="1"):
        """Make a new store, as a rebuild does."""
        new = self.folder / "store.new"
        new.mkdir()
        (self.folder / "identity").write_text("1" * 32)
        (new / "ledger").write_text(text)
        session.begin_store(new)
        self.objects.put(f"stores/{store_name(new)}/sections.lance/data", b"rows")
        session.publish_store(self.remote, new)
        with contextlib.suppress(FileNotFoundError):
            (self.folder / "store").rename(self.folder / "store.old")
        new.rename(self.folder / "store")

    def write(self, text):
        session.require_lease(self.remote)
        (self.folder / "store" / "ledger").write_text(text)

    def text(self):
        """What a reader on this machine finds."""
        caches.forget(self.folder)
        caches.refresh(self.folder, self.places)
        return (self.folder / "store" / "ledger").read_text()
