"""What an embedder of a user's own gives is refused where it is no vectors."""

from types import SimpleNamespace

import numpy as np
import pytest

from schema.errors import ModelError
from schema.given_vectors import checked_vector, checked_vectors

EMBEDDER = SimpleNamespace(name="mine", dimension=2)
UNIT = np.array([[1, 0], [0.6, 0.8]], np.float32)


def test_unit_vectors_are_the_same():
    assert checked_vectors(EMBEDDER, UNIT, 2) is UNIT
    np.testing.assert_array_equal(checked_vectors(EMBEDDER, UNIT.tolist(), 2), UNIT)


def test_vector_of_a_text_that_the_model_does_not_know_is_zero():
    assert checked_vectors(EMBEDDER, np.zeros((1, 2), np.float32), 1).sum() == 0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (UNIT[:1], "an array of shape (2, 2) for 2 texts, not (1, 2)"),
        (np.eye(3, dtype=np.float32)[:2], "an array of shape (2, 2) for 2 texts, not (2, 3)"),
        (None, "an array of shape (2, 2) for 2 texts, not NoneType"),
        ([[1, 0], [1]], "an array of shape (2, 2) for 2 texts, not list"),
        (UNIT * [[np.nan], [1]], "finite numbers"),
        (UNIT * 40, "vectors of unit length, not of length 40"),
    ],
)
def test_what_is_no_vectors_is_refused(given, told):
    with pytest.raises(ModelError) as error:
        checked_vectors(EMBEDDER, given, 2)
    assert str(error.value) == f"The embedder 'mine' must give {told}; correct its embed_sections or embed_query."


@pytest.mark.parametrize(
    ("given", "told"), [(None, "NoneType"), ("text", "str"), (UNIT[:1], "(1, 2)"), (UNIT[0][:1], "(1,)")]
)
def test_what_is_no_vector_of_a_query_is_refused(given, told):
    with pytest.raises(ModelError) as error:
        checked_vector(EMBEDDER, given)
    assert f"must give an array of shape (2,) for a query, not {told};" in str(error.value)
    np.testing.assert_array_equal(checked_vector(EMBEDDER, [0.6, 0.8]), UNIT[1])
