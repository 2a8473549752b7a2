"""An agent that works with Plimsoll's memory through the official Python SDK.

agent.py TOOLS ERA ROOT URL                over HTTP
agent.py TOOLS ERA ROOT PROGRAM ARG...     over standard input and output

TOOLS is how many there must be, ROOT the directory in which the agent says that it works.

Prints what it saw as one line of JSON; an assertion that fails ends it with a traceback.
"""

import asyncio
import json
import os
import sys

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ListRootsResult, Root


def text_of(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def said(client, name, arguments, fails=False):
    result = await client.call_tool(name, arguments)
    assert bool(result.is_error) == fails, (name, arguments, text_of(result))
    return result


async def work(client, count):
    tools = (await client.list_tools()).tools
    names = [tool.name for tool in tools]
    assert len(names) == count and "mem_search" in names and "sdd_adr" in names, names
    assert "Context Budget Awareness" in client.instructions

    await said(client, "mem_session_start", {"id": "dive-1", "project": "reef"})
    for n in range(12):
        note = {
            "title": f"Anchorage {n}",
            "content": f"Place {n}. " + "The ground is sand over clay and holds well. " * 12,
            "type": "discovery",
            "project": "reef",
            "session_id": "dive-1",
        }
        saved = await said(client, "mem_save", note)
        assert "#" in text_of(saved), text_of(saved)

    # MBG-3 to MBG-5: within the budget, and both footers.
    found = await said(client, "mem_search", {"query": "anchorage sand", "project": "Reef", "max_tokens": 300})
    text = text_of(found)
    assert len(text.encode()) // 4 <= 300, len(text.encode())
    lines = text.splitlines()
    assert lines[-1].startswith("📏 ~") and lines[-1].endswith(" tokens"), lines[-1]
    budget = [line for line in lines if line.startswith("⚡ Budget: ~")]
    assert len(budget) == 1 and "/300 tokens used." in budget[0], text
    # MDC-4: an agent that nobody knows is sent text alone.
    assert found.structured_content is None, found.structured_content
    ids = [int(line[1:].split()[0]) for line in lines if line.startswith("#")]
    assert 0 < len(ids) < 10 and f" {len(ids)} of 12 results shown" in budget[0], text

    # The recommended way: summary first, then one note in full.
    summary = await said(client, "mem_context", {"project": "reef", "detail_level": "summary"})
    text = text_of(summary)
    assert "💡 Use detail_level: standard or full for more detail." in text, text
    assert "sand over clay" not in text and f"#{ids[0]} " in text, text
    whole = text_of(await said(client, "mem_get_observation", {"id": ids[0]}))
    assert whole.count("sand over clay") == 12, whole

    # What a model can mend is an answer; a tool that is not there is a fault.
    wrong = [
        ("mem_get_observation", {"id": 987654}, "987654"),
        ("mem_search", {"query": "x", "max_tokens": 0}, "max_tokens"),
        ("mem_search", {}, "query"),
        ("mem_save", {"title": "Long", "content": "x" * 70_000}, "70000"),
    ]
    for name, arguments, part in wrong:
        text = text_of(await said(client, name, arguments, fails=True))
        assert part in text, (name, text)
    try:
        await client.call_tool("mem_nothing", {})
        raise AssertionError("a tool that is not there was called")
    except MCPError as error:
        assert "mem_nothing" in str(error), error

    await said(client, "mem_session_summary", {"id": "dive-1", "content": "Twelve places."})
    # Twelve notes and the summary, of this project alone (MEM-11).
    stats = text_of(await said(client, "mem_stats", {"project": "reef"}))
    assert "13 observations" in stats and "mem_search" in stats, stats
    summary = text_of(await said(client, "mem_search", {"query": "twelve", "project": "reef"}))
    assert "Summary of session dive-1" in summary, summary

    # MEM-13: the notebook is where the client says that it works.
    begun = {"name": "Reef", "description": "Where to anchor."}
    text_of(await said(client, "sdd_init_project", begun))
    found = text_of(await said(client, "mem_search", {"query": "notebook"}))
    assert "Spec notebook of Reef" in found, found
    return {"tools": len(names), "protocol": str(client.protocol_version)}


async def main():
    count, era, root, *target = sys.argv[1:]

    async def roots(_):
        return ListRootsResult(roots=[Root(uri=f"file://{root}")])

    if len(target) == 1 and target[0].startswith("http"):
        server = target[0]
    else:
        env = {name: value for name, value in os.environ.items()}
        server = StdioServerParameters(command=target[0], args=target[1:], env=env)
    async with Client(server, mode=era, list_roots_callback=roots) as client:
        print(json.dumps(await work(client, int(count))))


asyncio.run(main())
