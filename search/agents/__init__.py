"""Setting up AI agents: which file each client reads → that file with this server in it."""
