"""One module or package a family; each has ``extract(x: Extraction) -> None``."""
