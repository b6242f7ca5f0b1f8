"""The command line: cyclopts commands, thin over `fumehood.api`. FastMCP is imported for `serve` only."""
