"""Results → what readers get: JSON, text, answers of a running server."""
