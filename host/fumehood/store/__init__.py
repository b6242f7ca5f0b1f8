"""Answers kept for a while: keyed by content, options and image, bounded, private to their principal."""
