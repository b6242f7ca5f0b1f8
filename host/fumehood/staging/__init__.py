"""From a path, an upload or a stream to bytes that can be read once, by descriptor. Parses nothing."""
