"""What workbooks and presentations have in common: DrawingML text, charts, diagrams, images, active content."""
