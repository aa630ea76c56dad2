// Four ways to talk to a model, brought to one: what was asked (texts, tools, how far the talk is) and how an
// answer is written back. Only as much of each API as the agent CLIs need.

import { randomBytes } from 'node:crypto';

const fresh = (prefix) => `${prefix}_${randomBytes(8).toString('hex')}`;
const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');

/** One entry per message, oldest first: who spoke, and the words. */
const DIALECTS = [
  {
    name: 'anthropic',
    matches: (path) => path.endsWith('/messages'),
    tools: (body) => (body.tools ?? []).map((tool) => tool.name),
    system: (body) => textOf(body.system),
    turns: (body) =>
      (body.messages ?? []).map(({ role, content }) => ({
        who: role === 'assistant' ? 'agent' : 'user',
        text: textOf(content),
      })),
    write: anthropic,
  },
  {
    name: 'responses',
    matches: (path) => path.endsWith('/responses'),
    tools: (body) => (body.tools ?? []).map((tool) => tool.name ?? tool.type),
    system: (body) =>
      [
        body.instructions,
        ...(body.input ?? []).filter((item) => item.role === 'developer').map((item) => textOf(item.content)),
      ].join('\n'),
    turns: (body) =>
      (body.input ?? [])
        .filter((item) => item.role !== 'developer')
        .map((item) => ({
          who: item.role === 'assistant' || /_call$|^reasoning$/.test(item.type ?? '') ? 'agent' : 'user',
          text: item.role === undefined ? '' : textOf(item.content),
        })),
    write: responses,
  },
  {
    name: 'chat',
    matches: (path) => path.endsWith('/chat/completions'),
    tools: (body) => (body.tools ?? []).map((tool) => tool.function?.name),
    system: (body) =>
      (body.messages ?? [])
        .filter((one) => one.role === 'system')
        .map((one) => textOf(one.content))
        .join('\n'),
    turns: (body) =>
      (body.messages ?? [])
        .filter((one) => one.role !== 'system')
        .map(({ role, content }) => ({
          who: role === 'assistant' ? 'agent' : 'user',
          text: role === 'tool' ? '' : textOf(content),
        })),
    write: chat,
  },
  {
    name: 'gemini',
    matches: (path) => /:(streamG|g)enerateContent$/.test(path),
    tools: (body) => (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map((one) => one.name)),
    system: (body) => textOf(body.systemInstruction?.parts),
    turns: (body) =>
      (body.contents ?? []).map(({ role, parts }) => ({
        who: role === 'model' ? 'agent' : 'user',
        text: textOf(parts),
      })),
    write: gemini,
  },
];

/** What was asked, in one shape; undefined for anything that is no request to a model. */
export function understand(path, body) {
  const dialect = DIALECTS.find(({ matches }) => matches(path));
  if (dialect === undefined) return undefined;
  return {
    dialect: dialect.name,
    tools: dialect.tools(body).filter((name) => typeof name === 'string'),
    system: dialect.system(body),
    turns: dialect.turns(body),
    wantsStream: body.stream === true || /stream/.test(path),
    answer: (response, reply) => dialect.write(response, body, reply, body.stream === true || /stream/.test(path)),
  };
}

const SHELLS = {
  Bash: (command) => ({ command, description: 'as scripted' }),
  bash: (command) => ({ command, description: 'as scripted' }),
  run_shell_command: (command) => ({ command, description: 'as scripted' }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-c', command] }),
};
const WRITERS = {
  Write: (file_path, content) => ({ file_path, content }),
  write: (filePath, content) => ({ filePath, content }),
  write_file: (file_path, content) => ({ file_path, content }),
};

/** A step of the script as a tool call that this CLI knows. Without a tool for files a shell writes them. */
export function toCall({ shell, write }, tools) {
  const named = (table) => Object.keys(table).find((name) => tools.includes(name));
  if (write !== undefined && named(WRITERS) !== undefined)
    return { name: named(WRITERS), input: WRITERS[named(WRITERS)](write.path, write.content) };
  const command = shell ?? `cat > ${write.path} <<'END_OF_FILE'\n${write.content}END_OF_FILE`;
  if (named(SHELLS) === undefined) throw new Error(`no shell among the tools: ${tools.join(', ')}`);
  return { name: named(SHELLS), input: SHELLS[named(SHELLS)](command) };
}

function json(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Server-sent events, with names where the API has them. */
function events(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  return (data, name) =>
    response.write(
      `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    );
}

function anthropic(response, body, { text, call, usage }, stream) {
  const content = [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...(call === undefined ? [] : [{ type: 'tool_use', id: fresh('toolu'), name: call.name, input: call.input }]),
  ];
  const counts = {
    input_tokens: usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output,
  };
  const stop = { stop_reason: call === undefined ? 'end_turn' : 'tool_use', stop_sequence: null };
  const message = {
    id: fresh('msg'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content,
    ...stop,
    usage: counts,
  };
  if (!stream) return json(response, message);
  const send = events(response);
  const say = (type, rest) => send({ type, ...rest }, type);
  say('message_start', { message: { ...message, content: [], stop_reason: null } });
  content.forEach((block, index) => {
    const isText = block.type === 'text';
    say('content_block_start', { index, content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} } });
    say('content_block_delta', {
      index,
      delta: isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
    });
    say('content_block_stop', { index });
  });
  say('message_delta', { delta: stop, usage: counts });
  say('message_stop', {});
  response.end();
}

function responses(response, body, { text, call, usage }, stream) {
  const output = [
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: fresh('msg'),
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...(call === undefined
      ? []
      : [
          {
            type: 'function_call',
            id: fresh('fc'),
            call_id: fresh('call'),
            name: call.name,
            arguments: JSON.stringify(call.input),
            status: 'completed',
          },
        ]),
  ];
  const counts = {
    input_tokens: usage.input + usage.cached,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.cached + usage.output,
  };
  const base = { id: fresh('resp'), object: 'response', created_at: 0, model: body.model };
  const whole = { ...base, status: 'completed', output, usage: counts };
  if (!stream) return json(response, whole);
  const send = events(response);
  let number = 0;
  const say = (type, rest) => send({ type, sequence_number: number++, ...rest }, type);
  say('response.created', { response: { ...base, status: 'in_progress', output: [] } });
  output.forEach((item, output_index) => {
    say('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } });
    say('response.output_item.done', { output_index, item });
  });
  say('response.completed', { response: whole });
  response.end();
}

function chat(response, body, { text, call, usage }, stream) {
  const calls =
    call === undefined
      ? []
      : [
          {
            index: 0,
            id: fresh('call'),
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.input) },
          },
        ];
  const finish = call === undefined ? 'stop' : 'tool_calls';
  const counts = {
    prompt_tokens: usage.input + usage.cached,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.cached + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
  };
  const base = { id: fresh('chat'), created: 0, model: body.model };
  const message = { role: 'assistant', content: text ?? null, ...(call === undefined ? {} : { tool_calls: calls }) };
  if (!stream)
    return json(response, {
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage: counts,
    });
  const send = events(response);
  const chunk = (choices, rest = {}) => send({ ...base, object: 'chat.completion.chunk', choices, ...rest });
  chunk([{ index: 0, delta: message, finish_reason: null }]);
  chunk([{ index: 0, delta: {}, finish_reason: finish }]);
  chunk([], { usage: counts });
  send('[DONE]');
  response.end();
}

function gemini(response, _, { text, call, usage }, stream) {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...(call === undefined ? [] : [{ functionCall: { id: fresh('call'), name: call.name, args: call.input } }]),
  ];
  const answer = {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    modelVersion: 'scripted',
    usageMetadata: {
      promptTokenCount: usage.input + usage.cached,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.cached + usage.output,
    },
  };
  if (!stream) return json(response, answer);
  events(response)(answer);
  response.end();
}
