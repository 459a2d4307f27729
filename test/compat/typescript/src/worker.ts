import { hostname } from 'node:os';

import { NativeConnection, Worker } from '@temporalio/worker';

import { activities, data, rest } from './activities';
import { TASK_QUEUE, WORKFLOW_TYPE } from './definition';
import * as workflows from './workflows';

/** The token that every call of Temporal carries. It lives for an hour. */
async function metadata() {
  const { engineToken } = await data(rest.POST('/authentications', { body: { type: 'ENGINE_TOKEN' } }));
  return { authorization: `Bearer ${engineToken!.token}` };
}

async function main() {
  const { engineCertificate } = await data(rest.POST('/authentications', { body: { type: 'ENGINE_CERTIFICATE' } }));
  const { tls, namespace } = engineCertificate!;
  const connection = await NativeConnection.connect({
    address: process.env.PROCESSION_WORKER_TEMPORAL_ADDRESS ?? '127.0.0.1:7233',
    metadata: await metadata(),
    // Without TLS, certificates are empty.
    tls: tls.clientCertificate !== '' && {
      serverRootCACertificate: Buffer.from(tls.serverRootCaCertificate),
      clientCertPair: { crt: Buffer.from(tls.clientCertificate), key: Buffer.from(tls.clientPrivateKey) },
    },
  });
  const worker = await Worker.create({
    connection, namespace, taskQueue: TASK_QUEUE, activities, workflowsPath: require.resolve('./workflows'),
  });
  const keepAccess = async () => {
    await connection.setMetadata(await metadata());
    await data(rest.POST('/workers', {
      body: {
        identity: worker.options.identity, taskQueue: TASK_QUEUE, hostname: hostname(), ip: '127.0.0.1',
        workflowTypes: [WORKFLOW_TYPE], activityTypes: Object.keys(activities),
      },
    }));
  };
  await keepAccess();
  const renewal = setInterval(() => keepAccess().catch((error) => console.error('renewing access:', error)), 60_000);
  await worker.run();
  clearInterval(renewal);
}

main().catch((error) => { console.error(error); process.exit(1); });
