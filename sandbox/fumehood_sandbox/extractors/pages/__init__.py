"""What all readers of fixed pages share: from lines with their places to paragraphs, tables and running heads, page by page."""
