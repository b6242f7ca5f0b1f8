"""What workbooks and presentations have in common: DrawingML text, charts, diagrams, properties, active content."""
