"""The MCP server: thin over `fumehood.tools`. The only package that imports FastMCP."""
