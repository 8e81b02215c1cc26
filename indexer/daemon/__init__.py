"""Runs that repeat: at intervals, or when files change."""
