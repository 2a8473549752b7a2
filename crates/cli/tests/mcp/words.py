"""A client of MCP that calls tools and prints the texts that it was answered with.

words.py sdk|fastmcp PROGRAM CALLS

CALLS is a list of names and arguments as JSON; the last line is a list of texts.
"""

import asyncio
import json
import os
import sys


def text_of(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def main():
    kind, program, calls = sys.argv[1:]
    env = dict(os.environ)
    if kind == "fastmcp":
        from fastmcp import Client
        from fastmcp.client.transports import StdioTransport

        client = Client(StdioTransport(command=program, args=["mcp"], env=env))
    else:
        from mcp import Client, StdioServerParameters

        client = Client(StdioServerParameters(command=program, args=["mcp"], env=env))
    async with client:
        texts = [text_of(await client.call_tool(name, arguments)) for name, arguments in json.loads(calls)]
    print(json.dumps(texts))


asyncio.run(main())
