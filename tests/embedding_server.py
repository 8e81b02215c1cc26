"""A server of embeddings on loopback: it plays a script as `ChatServer` does, and answers an empty entry with vectors."""

import base64
import hashlib
import json
import re

import numpy as np

from tests.chat_server import ChatServer


class EmbeddingServer(ChatServer):
    """`dimension` numbers for each text, one for each word's direction, not of unit length.

    An entry may also have: dimension (another one), is_base64, is_reversed (the answers in the other order), and change (a
    function that is given the answer and may alter it).
    """

    def __init__(self, script=None, *, dimension=16):
        super().__init__(script or [{}])
        self.dimension = dimension

    @property
    def texts(self):
        """All texts that were sent, in order."""
        return [text for request in self.requests for text in request["input"]]

    def answer(self, body, entry):
        vectors = [directions(text, entry.get("dimension", self.dimension)) * 3 for text in body["input"]]
        data = [
            {
                "object": "embedding",
                "index": i,
                "embedding": base64_of(vector) if entry.get("is_base64") else vector.tolist(),
            }
            for i, vector in enumerate(vectors)
        ]
        answer = {"object": "list", "model": body["model"], "data": data[:: -1 if entry.get("is_reversed") else 1]}
        entry.get("change", lambda _answer: None)(answer)
        return json.loads(json.dumps(answer))


def directions(text, dimension):
    """The unit vector of a text: each word pushes one direction."""
    vector = np.full(dimension, 0.01, np.float32)
    for word in re.findall(r"\w+", text.lower()):
        vector[hashlib.sha256(word.encode()).digest()[0] % dimension] += 1
    return vector / np.linalg.norm(vector)


def base64_of(vector):
    return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode()
