"""A source of summaries that is a function of its input, for tests."""

import threading
import time


class Source:
    """A summary names its text's first words; keeps what it was asked; fails as told."""

    def __init__(self, name="fake/1", fail=None, delay=0.0):
        self.name = name
        self.asked = []
        self._fail = fail or (lambda text: None)
        self._delay = delay
        self._lock = threading.Lock()

    def summarize_document(self, text, *, title):
        return self._made(f"document {title}", text)

    def summarize_section(self, section, *, document, document_summary):
        assert section.content in document
        return self._made(f"section {section.heading}", section.body)

    def _made(self, what, text):
        with self._lock:
            self.asked.append(what)
        time.sleep(self._delay)
        error = self._fail(what)
        if error is not None:
            raise error
        words = text.split()[:3]
        return f"{self.name} on {' '.join(words)}" if words else None
