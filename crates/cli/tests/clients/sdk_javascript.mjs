// What the JavaScript SDKs do before the gateway, by protocol: the first argument names it.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

const { GATEWAY: root, EXPECTED: expected, GATEWAY_LOSSY: lossy } = process.env;
const v1 = `${root}/v1`;
const model = "test";
const headers = lossy ? { "x-plimsoll-lossy": lossy } : {};
const messages = [{ role: "user", content: "How deep may she load?" }];

const openai = new OpenAI({ baseURL: v1, apiKey: "any", maxRetries: 0, defaultHeaders: headers });
const anthropic = new Anthropic({ baseURL: root, apiKey: "any", maxRetries: 0, defaultHeaders: headers });

globalThis.AI_SDK_LOG_WARNINGS = false;

async function all(pages) {
  const ids = [];
  for await (const one of pages) ids.push(one.id);
  return ids;
}

const chat = {
  async "a chat in one piece"() {
    const answer = await openai.chat.completions.create({ model, messages });
    assert.equal(answer.choices[0].message.content, expected);
    assert.ok(answer.usage.total_tokens > 0);
  },
  async "a streamed chat without usage where none was asked for"() {
    let text = "";
    for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true })) {
      assert.equal(chunk.choices.length, 1);
      assert.ok(!chunk.usage);
      text += chunk.choices[0].delta.content ?? "";
    }
    assert.equal(text, expected);
  },
  async "a streamed chat with usage"() {
    const stream_options = { include_usage: true };
    const stream = openai.chat.completions.stream({ model, messages, stream_options });
    assert.equal(await stream.finalContent(), expected);
    assert.ok((await stream.totalUsage()).total_tokens > 0);
  },
  async "a chat whose tools the SDK runs"() {
    const asked = [];
    const depth = {
      name: "depth",
      description: "The depth of a place",
      parameters: { type: "object", properties: { place: { type: "string" } } },
      parse: JSON.parse,
      function: ({ place }) => (asked.push(place), "7 fathoms"),
    };
    const tools = [{ type: "function", function: depth }];
    const runner = openai.chat.completions.runTools({ model, messages, tools, stream: true });
    assert.equal(await runner.finalContent(), expected);
    assert.equal(asked.length, 1);
  },
  async "the list of models"() {
    assert.ok((await all(openai.models.list())).includes(model));
    assert.equal((await openai.models.retrieve(model)).id, model);
  },
};

const responses = {
  async "a response in one piece"() {
    const answer = await openai.responses.create({ model, input: "How deep may she load?" });
    assert.equal(answer.output_text, expected);
  },
  async "a streamed response"() {
    const stream = openai.responses.stream({ model, input: messages });
    const answer = await stream.finalResponse();
    assert.equal(answer.output_text, expected);
    assert.ok(answer.usage.input_tokens > 0);
  },
};

const anthropics = {
  async "a message in one piece"() {
    const answer = await anthropic.messages.create({ model, messages, max_tokens: 99 });
    assert.equal(answer.content[0].text, expected);
  },
  async "a streamed message"() {
    const answer = await anthropic.messages.stream({ model, messages, max_tokens: 99 }).finalMessage();
    assert.equal(answer.content[0].text, expected);
    assert.ok(answer.usage.input_tokens > 0);
  },
  async "a count"() {
    assert.ok((await anthropic.messages.countTokens({ model, messages })).input_tokens > 0);
  },
  async "the list of models"() {
    assert.ok((await all(anthropic.models.list())).includes(model));
    assert.equal((await anthropic.models.retrieve(model)).id, model);
  },
};

// What the AI SDK does with each of its providers.
function withAiSdk(name, provider) {
  const asked = [];
  const depth = tool({
    description: "The depth of a place",
    inputSchema: z.object({ place: z.string() }),
    execute: async ({ place }) => (asked.push(place), "7 fathoms"),
  });
  const task = {
    model: provider,
    prompt: "How deep may she load?",
    tools: { depth },
    stopWhen: stepCountIs(5),
    maxOutputTokens: 99,
    maxRetries: 0,
  };
  return {
    async [`${name}: a text after a tool`]() {
      const answer = await generateText(task);
      assert.equal(answer.text, expected);
      assert.equal(answer.steps.length, 2);
      assert.equal(asked.length, 1);
    },
    async [`${name}: a streamed text after a tool`]() {
      const answer = streamText({ ...task, onError() {} });
      let text = "";
      for await (const piece of answer.textStream) text += piece;
      assert.equal(text, expected);
      assert.ok((await answer.totalUsage).inputTokens > 0);
      assert.equal(asked.length, 2);
    },
    async [`${name}: an object`]() {
      const schema = z.object({ place: z.string(), fathoms: z.number() });
      const { model, prompt, maxRetries } = task;
      const answer = await generateObject({ model, prompt, maxRetries, maxOutputTokens: 99, schema });
      assert.equal(answer.object.fathoms, 3);
    },
  };
}

const settings = { baseURL: v1, apiKey: "any", headers };
const compatible = createOpenAICompatible({
  ...settings,
  name: "gateway",
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const suites = {
  chat: {
    ...chat,
    ...withAiSdk("openai-compatible", compatible(model)),
    ...withAiSdk("openai chat", createOpenAI(settings).chat(model)),
  },
  responses: { ...responses, ...withAiSdk("openai responses", createOpenAI(settings)(model)) },
  messages: { ...anthropics, ...withAiSdk("anthropic", createAnthropic(settings)(model)) },
};

for (const [name, step] of Object.entries(suites[process.argv[2]])) {
  try {
    await step();
    console.log(`passed: ${name}`);
  } catch (error) {
    console.log(`FAILED: ${name}: ${error.stack ?? error}`);
    process.exitCode = 1;
  }
}
