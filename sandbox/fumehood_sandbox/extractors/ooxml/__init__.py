"""What more than one kind of Office package has: names, properties, list labels, mathematics, DrawingML, active content."""
