"""What came out of a container: validation first, then views, search, paging and renderers."""
