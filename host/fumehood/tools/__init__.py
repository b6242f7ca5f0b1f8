"""The tools as plain functions with typed results: what the MCP server registers and `fumehood tool` calls."""
