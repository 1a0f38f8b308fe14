// The official TypeScript SDK: an agent's client of `clawperator mcp` and `/mcp`.
//
// PROGRAM is the program to start; with MCP_URL and TOKEN it asks that server
// instead.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const see = (what, seen, wanted) => {
  const holds = wanted(seen);
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}: ${JSON.stringify(seen).slice(0, 300)}`);
  if (!holds) {
    process.exit(1);
  }
};
const { MCP_URL, TOKEN, PROGRAM } = process.env;
const transport = MCP_URL
  ? new StreamableHTTPClientTransport(new URL(MCP_URL), {
      requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
    })
  : new StdioClientTransport({ command: PROGRAM, args: ['mcp'], env: process.env });
const client = new Client({ name: 'test', version: '1' });
await client.connect(transport);
see('server', client.getServerVersion().name, (name) => name === 'clawperator');
const call = async (name, args, options) => {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const text = result.content.map((block) => block.text ?? '').join('\n');
  if (result.isError) {
    see(name, text, () => false);
  }
  return text;
};
const tools = (await client.listTools()).tools.map(({ name }) => name);
see('tools', tools, (names) => names.includes('act') && names.length <= 10);
see('a phone', await call('device', { start: true }), (text) => text.startsWith('using '));
const steps = [{ do: 'open', on: 'com.clawperator.form' }, { do: 'tap', on: 'Notes' }];
const form = await call('act', { steps });
see('a form', form, (text) => /@e\d+ textfield/.test(text));
const field = form.match(/(@e\d+) textfield/)[1];
const typed = await call('act', { steps: [{ do: 'type', on: field, text: 'Ada' }] });
see('type', typed, (text) => text.includes('"Ada"'));
await call('open', { app: 'com.clawperator.conformance' });
const told = [];
const tap = { steps: [{ do: 'tap', on: 'Increment' }] };
const tapped = await call('act', tap, { onprogress: ({ message }) => told.push(message) });
see('tap', tapped, (text) => text.includes('Counter: 1'));
see('progress', told, (messages) => messages.includes('click'));
const ran = await client.callTool({
  name: 'execute',
  arguments: {
    payload: { actions: [{ id: 'r', type: 'read_text', params: { matcher: { textContains: 'counter' } } }] },
  },
});
see('read', ran.structuredContent.envelope.stepResults[0].data.text, (text) => text === 'Counter: 1');
// A wait that is given up is given up on the phone, too.
const stop = new AbortController();
const waiting = call('wait', { on: 'Godot', timeout_ms: 50000 }, { signal: stop.signal });
setTimeout(() => stop.abort(), 1000);
see('cancelled', await waiting.catch(() => 'gone'), (what) => what === 'gone');
see('after a cancelled call', await call('act', tap, { timeout: 20000 }), (text) => text.includes('Counter: 2'));
await client.close();
