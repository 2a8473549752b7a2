"""An agent of Pydantic AI whose model is a function of ours.

pydantic_agent.py PROGRAM CALLS

CALLS is a list of names and arguments as JSON. The last line is a list of what the model was
given of the answers of the tools.
"""

import asyncio
import json
import os
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

CALLS = json.loads(sys.argv[2])


def answers(messages):
    parts = [part for message in messages for part in message.parts]
    return [part for part in parts if isinstance(part, ToolReturnPart)]


def model(messages, _):
    given = answers(messages)
    if len(given) < len(CALLS):
        name, arguments = CALLS[len(given)]
        return ModelResponse(parts=[ToolCallPart(tool_name=name, args=arguments)])
    print(json.dumps([part.model_response_str() for part in given]))
    return ModelResponse(parts=[TextPart(content="done")])


async def main():
    transport = StdioTransport(command=sys.argv[1], args=["mcp"], env=dict(os.environ))
    agent = Agent(FunctionModel(model), toolsets=[MCPToolset(transport)])
    await agent.run("Where does the anchor hold?")


asyncio.run(main())
