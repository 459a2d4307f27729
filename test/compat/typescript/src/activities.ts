import { createHash } from 'node:crypto';

import { ApplicationFailure } from '@temporalio/common';
import createClient from 'openapi-fetch';

import type { components, paths } from './rest';

export type ItemParams = components['schemas']['ProcessItemCreateParams'];
type Patch = components['schemas']['JsonPatch'];

const env = process.env;
const pair = `${env.PROCESSION_WORKER_CLIENT_ID}:${env.PROCESSION_WORKER_CLIENT_SECRET}`;

/** The REST API, as the contract has it. */
export const rest = createClient<paths>({
  baseUrl: `${env.PROCESSION_WORKER_ENDPOINT ?? 'http://127.0.0.1:8080'}/v2024-06-14`,
  headers: { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
});

/** Returns the data of a response. What will not change by itself fails the workflow; the rest is repeated by Temporal. */
export async function data<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (data !== undefined) return data;
  const text = `${response.url}: ${response.status} ${JSON.stringify(error)}`;
  const again = [408, 425, 429].includes(response.status) || response.status >= 500;
  throw again ? new Error(text) : ApplicationFailure.nonRetryable(text, 'RestFailure');
}

/** Activities under the names, and with the requests and responses, that the published SDKs give them. */
export const activities = {
  KuFlow_Engine_createProcessItem: async (params: ItemParams) => ({
    processItem: await data(rest.POST('/process-items', { body: { id: idOf(params), ...params } })),
  }),
  KuFlow_Engine_retrieveProcessItem: async ({ processItemId: id }: { processItemId: string }) => ({
    processItem: await data(rest.GET('/process-items/{id}', { params: { path: { id } } })),
  }),
  KuFlow_Engine_retrieveProcess: async ({ processId: id }: { processId: string }) => ({
    process: await data(rest.GET('/processes/{id}', { params: { path: { id } } })),
  }),
  KuFlow_Engine_patchProcessMetadata: async ({ processId: id, jsonPatch }: { processId: string; jsonPatch: Patch }) => ({
    process: await data(rest.PATCH('/processes/{id}/metadata', { params: { path: { id } }, body: jsonPatch })),
  }),
};

/** The UUID of version 5 (RFC 9562) of an item's code within its process: a creation that is repeated finds the item. */
function idOf({ processId, processItemDefinitionCode }: ItemParams): string {
  const namespace = Buffer.from(processId.replaceAll('-', ''), 'hex');
  const hash = createHash('sha1').update(namespace).update(processItemDefinitionCode!).digest();
  hash[6] = (hash[6] & 0x0f) | 0x50;
  hash[8] = (hash[8] & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
