"""Weights of BERT → its ONNX graph: tokens of one text → the mean of their vectors at unit length, in float32.

The graph has the operators that torch's exporter would write for the same network, so that onnxruntime optimises and
quantises it alike; but torch takes ten seconds for it, most of them to be loaded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.models.query_graph import INPUTS, OPSET, OUTPUT
from schema.errors import ModelError

if TYPE_CHECKING:
    import onnx

#: Added before normalisation by the variance, as BERT's configuration has it.
_EPSILON = 1e-12
#: The number of float32 among ONNX's types of tensors.
_FLOAT = 1
#: The smallest number of float32, for places that are not looked at.
_NEVER = float(np.finfo(np.float32).min)


@dataclass(frozen=True, slots=True)
class _Shape:
    layers: int
    heads: int
    width: int

    @classmethod
    def of(cls, weights: Mapping[str, Any], heads: int) -> _Shape:
        """The shape that weights have.

        Raises:
            ModelError: they are not those of BERT with so many heads.
        """
        layers = 0
        while f"encoder.layer.{layers}.output.dense.weight" in weights:
            layers += 1
        words = weights.get("embeddings.word_embeddings.weight")
        width = 0 if words is None else int(words.shape[-1])
        if not layers or not width or width % heads:
            raise ModelError("the weights are not those of BERT")
        return cls(layers, heads, width)


class _Nodes:
    """The operators of a graph, one after the other, and the values that they are given."""

    def __init__(self) -> None:
        import onnx

        self._onnx = onnx
        self.nodes: list[onnx.NodeProto] = []
        self.values: dict[str, onnx.TensorProto] = {}

    def add(self, operator: str, *inputs: str, named: str = "", **attributes: Any) -> str:
        """Add an operator over values by name, and return the name of what it gives."""
        name = named or f"{operator}_{len(self.nodes)}"
        self.nodes.append(self._onnx.helper.make_node(operator, list(inputs), [name], name=name, **attributes))
        return name

    def value(self, name: str, value: Any, kind: type = np.float32) -> str:
        """Return the name of a constant value, which is added once."""
        if name not in self.values:
            self.values[name] = self._onnx.numpy_helper.from_array(np.ascontiguousarray(value, kind), name)
        return name

    def whole(self, *numbers: int) -> str:
        """Return the name of a list of whole numbers."""
        return self.value(f"whole_{'_'.join(map(str, numbers))}", numbers, np.int64)

    def number(self, name: str, value: float) -> str:
        """Return the name of one number."""
        return self.value(name, np.array(value))


def bert_graph(weights: Mapping[str, Any], *, heads: int) -> bytes:
    """Return the graph of BERT with mean pooling as an ONNX model; `weights` by the names that transformers gives them.

    Raises:
        ModelError: they are not those of BERT, or one is missing.
    """
    import onnx

    shape = _Shape.of(weights, heads)
    graph = _Nodes()
    try:
        state = _embedded(graph, weights)
        hidden = _hidden(graph)
        for layer in range(shape.layers):
            state = _layer(graph, weights, f"encoder.layer.{layer}.", state, hidden, shape)
    except KeyError as error:
        raise ModelError(f"the weights of BERT lack {error}") from error
    _pooled(graph, state)
    lengths: list[str | int | None] = [1, "length"]
    inputs = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, lengths) for name in INPUTS]
    output = onnx.helper.make_tensor_value_info(OUTPUT, onnx.TensorProto.FLOAT, [1, shape.width])
    made = onnx.helper.make_graph(graph.nodes, "bert", inputs, [output], list(graph.values.values()))
    operators = [onnx.helper.make_opsetid("", OPSET)]
    model: bytes = onnx.helper.make_model(made, opset_imports=operators, ir_version=8).SerializeToString()
    return model


def _embedded(graph: _Nodes, weights: Mapping[str, Any]) -> str:
    """The vectors of tokens before the first layer: of words, kinds and positions, added and normalised."""
    ids, _, kinds = INPUTS

    def table(part: str) -> str:
        name = f"embeddings.{part}_embeddings.weight"
        return graph.value(name, weights[name])

    words = graph.add("Gather", table("word"), ids)
    of_kinds = graph.add("Gather", table("token_type"), kinds)
    length = graph.add("Slice", graph.add("Shape", ids), graph.whole(1), graph.whole(2), graph.whole(0))
    numbers = graph.value("numbers", np.arange(weights["embeddings.position_embeddings.weight"].shape[0])[None], np.int64)
    # looked up like the others, so that onnxruntime keeps their table in 8 bits too
    positions = graph.add("Gather", table("position"), graph.add("Slice", numbers, graph.whole(0), length, graph.whole(1)))
    added = graph.add("Add", graph.add("Add", words, of_kinds), positions)
    return _normalised(graph, weights, "embeddings.LayerNorm", added)


def _hidden(graph: _Nodes) -> str:
    """What is added where tokens look at places that hold nothing: shape (1, 1, 1, length)."""
    seen = graph.add("Equal", INPUTS[1], graph.whole(1))
    wide = graph.add("Unsqueeze", seen, graph.whole(1, 2))
    return graph.add("Where", wide, graph.number("zero", 0.0), graph.number("never", _NEVER))


def _layer(graph: _Nodes, weights: Mapping[str, Any], name: str, state: str, hidden: str, shape: _Shape) -> str:
    size = shape.width // shape.heads
    apart = graph.whole(1, -1, shape.heads, size)

    def of_heads(part: str, order: list[int]) -> str:
        found = _dense(graph, weights, f"{name}attention.self.{part}", state)
        return graph.add("Transpose", graph.add("Reshape", found, apart), perm=order)

    asked, held = of_heads("query", [0, 2, 1, 3]), of_heads("key", [0, 2, 3, 1])
    scale = graph.number("scale", 1 / math.sqrt(size))
    alike = graph.add("Add", graph.add("Mul", graph.add("MatMul", asked, held), scale), hidden)
    shares = graph.add("Softmax", alike, axis=-1)
    mixed = graph.add("MatMul", shares, of_heads("value", [0, 2, 1, 3]))
    joined = graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), graph.whole(1, -1, shape.width))
    attended = graph.add("Add", _dense(graph, weights, f"{name}attention.output.dense", joined), state)
    attended = _normalised(graph, weights, f"{name}attention.output.LayerNorm", attended)
    inner = _gelu(graph, _dense(graph, weights, f"{name}intermediate.dense", attended))
    added = graph.add("Add", _dense(graph, weights, f"{name}output.dense", inner), attended)
    return _normalised(graph, weights, f"{name}output.LayerNorm", added)


def _dense(graph: _Nodes, weights: Mapping[str, Any], name: str, state: str) -> str:
    matrix = graph.value(f"{name}.weight", np.asarray(weights[f"{name}.weight"]).T)
    return graph.add("Add", graph.value(f"{name}.bias", weights[f"{name}.bias"]), graph.add("MatMul", state, matrix))


def _normalised(graph: _Nodes, weights: Mapping[str, Any], name: str, state: str) -> str:
    of = (graph.value(f"{name}.{part}", weights[f"{name}.{part}"]) for part in ("weight", "bias"))
    return graph.add("LayerNormalization", state, *of, axis=-1, epsilon=_EPSILON)


def _gelu(graph: _Nodes, state: str) -> str:
    """Half of x · (1 + erf(x / √2))."""
    error = graph.add("Erf", graph.add("Div", state, graph.number("root_of_two", math.sqrt(2))))
    product = graph.add("Mul", state, graph.add("Add", error, graph.number("one", 1.0)))
    return graph.add("Mul", product, graph.number("half", 0.5))


def _pooled(graph: _Nodes, state: str) -> None:
    """The mean over the tokens, at unit length."""
    mask = graph.add("Unsqueeze", graph.add("Cast", INPUTS[1], to=_FLOAT), graph.whole(2))
    total = graph.add("ReduceSum", graph.add("Mul", state, mask), graph.whole(1), keepdims=0)
    count = graph.add("Clip", graph.add("ReduceSum", mask, graph.whole(1), keepdims=0), graph.number("least", 1e-9))
    mean = graph.add("Div", total, count)
    length = graph.add("Clip", graph.add("ReduceL2", mean, axes=[-1], keepdims=1), graph.number("tiny", 1e-12))
    graph.add("Div", mean, length, named=OUTPUT)
