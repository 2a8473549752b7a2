"""LangChain's standard tests with its own clients, set to the gateway by their base URL."""

import base64
import os
import types

import langchain_tests.integration_tests.chat_models as standard
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI

GATEWAY = os.environ["GATEWAY"]
LOSSY = os.environ.get("GATEWAY_LOSSY")
HEADERS = {"x-plimsoll-lossy": LOSSY} if LOSSY else {}
SETTINGS = {"model": "test", "api_key": "any", "max_retries": 0, "default_headers": HEADERS}

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)

# The tests fetch their pictures and documents from the web; here one picture is all of them.
standard.httpx = types.SimpleNamespace(get=lambda *_, **__: types.SimpleNamespace(content=PICTURE))


class Common(standard.ChatModelIntegrationTests):
    model_override_value = "other"
    has_tool_choice = True
    # Anthropic's protocol has no words for any JSON object, only for those of a schema.
    supports_json_mode = os.environ.get("GATEWAY_BEHIND") != "Anthropic"
    supports_image_inputs = True
    supports_pdf_inputs = True


class TestChat(Common):
    chat_model_class = ChatOpenAI
    chat_model_params = {**SETTINGS, "base_url": GATEWAY + "/v1", "stream_usage": True}


class TestResponses(Common):
    chat_model_class = ChatOpenAI
    chat_model_params = {**SETTINGS, "base_url": GATEWAY + "/v1", "use_responses_api": True}
    supports_image_tool_message = True
    supports_pdf_tool_message = True


class TestMessages(Common):
    chat_model_class = ChatAnthropic
    chat_model_params = {**SETTINGS, "base_url": GATEWAY}
    supports_json_mode = False
    supports_anthropic_inputs = True
    supports_image_tool_message = True
    supports_pdf_tool_message = True
