"""A sentence-transformers model that is made in a moment, and an embedder of it with a cache folder of its own."""

import shutil

from indexer.models.embedder import SentenceTransformerEmbedder
from indexer.models.model_files import ENGLISH_MODEL, ModelFiles


def make_model(folder, *, seed=0, **pooling):
    """A sentence-transformers model of random weights, with the tokenizer of the bundled one, that is quick to export."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel

    source = ModelFiles(ENGLISH_MODEL).folder
    torch.manual_seed(seed)
    base = folder.parent / f"{folder.name}-base"
    config = BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=64
    )
    BertModel(config).save_pretrained(base)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copyfile(source / name, base / name)
    modules = [Transformer(str(base), max_seq_length=48), Pooling(32, **(pooling or {"pooling_mode": "cls"}))]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder))
    return folder


def embedder(model, cache, **options):
    return SentenceTransformerEmbedder(str(model), device="cpu", precision="float32", cache_dir=str(cache), **options)
