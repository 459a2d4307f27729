import assert from 'node:assert/strict';

import createClient from 'openapi-fetch';

import type { paths as Admin } from './admin';
import type { paths as A } from './shape_a';
import type { paths as B } from './shape_b';

const { COMPAT_ENDPOINT: endpoint, COMPAT_CLIENT_ID: client, COMPAT_CLIENT_SECRET: secret } = process.env;
const headers = { Authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}` };
const a = createClient<A>({ baseUrl: `${endpoint}/v2022-10-08`, headers });
const b = createClient<B>({ baseUrl: `${endpoint}/v2024-06-14`, headers });
const admin = createClient<Admin>({ baseUrl: `${endpoint}/admin/v1`, headers: { Authorization: 'Bearer demo-token-alice' } });

/** Returns the data of a response, which has to be a success. */
async function data<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  assert(data !== undefined, `${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

async function main() {
  const { id } = await data(b.POST('/processes', { body: { processDefinitionCode: 'LOAN' } }));
  const params = { path: { id: id! } };
  const item = await data(b.POST('/process-items', {
    body: { processId: id!, type: 'TASK', processItemDefinitionCode: 'LOAN_APPLICATION' },
  }));
  const { content } = await data(b.GET('/process-items', { params: { query: { processId: [id!] } } }));
  assert.equal(content[0]!.processItemDefinitionRef!.code, 'LOAN_APPLICATION');
  const patched = await data(b.PATCH('/processes/{id}/metadata', {
    params, body: [{ op: 'add', path: '/FIRST_NAME', value: null }, { op: 'replace', path: '/FIRST_NAME', value: 'Carol' }],
  }));
  assert.deepEqual(patched.metadata!.value, { FIRST_NAME: 'Carol' });
  const refused = await b.POST('/processes', { body: {} });
  assert.equal(refused.response.status, 400);
  assert.equal(refused.error!.errors![0]!.location, '/processDefinitionId');

  const tasks = await data(a.GET('/tasks', { params: { query: { processId: [id!] } } }));
  assert.equal(tasks.content[0]!.taskDefinition.name, 'Loan application');
  const task = await data(a.GET('/tasks/{id}', { params: { path: { id: item.id! } } }));
  assert.equal(task.state, 'READY');
  const process = await data(a.GET('/processes/{id}', { params }));
  assert.equal(process.processDefinition.name, 'Loan');
  await data(a.GET('/principals', { params: { query: { size: 1 } } }));
  await data(a.GET('/processes', { params: { query: { size: 1 } } }));

  await data(b.POST('/processes/{id}/~actions/cancel', { params }));
  const { kind } = (await data(admin.GET('/resources', { params: { query: { kind: ['ProcessDefinition'] } } }))).content[0]!;
  assert.equal(kind, 'ProcessDefinition');
}

main().catch((error) => { console.error(error); process.exitCode = 1; });
