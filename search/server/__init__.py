"""An index for readers elsewhere: over HTTP, as a page, and for agents over MCP. Needs the extras `server` and `mcp`."""
