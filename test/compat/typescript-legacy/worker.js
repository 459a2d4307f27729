// Runs workflows.js as an application of the service. COMPAT_ENDPOINT, COMPAT_TEMPORAL, COMPAT_CLIENT_ID and
// COMPAT_CLIENT_SECRET say where and as which.
const { NativeConnection, Worker } = require('@temporalio/worker');

const taskQueue = 'QUEUE_SAMPLE_LOAN';
const base = `${process.env.COMPAT_ENDPOINT}/v2024-06-14`;
const pair = Buffer.from(`${process.env.COMPAT_CLIENT_ID}:${process.env.COMPAT_CLIENT_SECRET}`).toString('base64');

async function call(method, path, body) {
  const answer = await fetch(base + path, {
    method,
    headers: { Authorization: `Basic ${pair}`, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) {
    throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  }
  return answer.json();
}

const activities = {
  createItem: (item) => call('POST', '/process-items', item),
  retrieveItem: (id) => call('GET', `/process-items/${id}`),
  retrieveProcess: (id) => call('GET', `/processes/${id}`),
};

async function metadata() {
  const { engineToken } = await call('POST', '/authentications', { type: 'ENGINE_TOKEN' });
  return { authorization: `Bearer ${engineToken.token}` };
}

async function main() {
  const { engineCertificate } = await call('POST', '/authentications', { type: 'ENGINE_CERTIFICATE' });
  const { tls, namespace } = engineCertificate;
  const connection = await NativeConnection.connect({
    address: process.env.COMPAT_TEMPORAL,
    metadata: await metadata(),
    tls: {
      serverRootCACertificate: Buffer.from(tls.serverRootCaCertificate),
      clientCertPair: { crt: Buffer.from(tls.clientCertificate), key: Buffer.from(tls.clientPrivateKey) },
    },
  });
  const renewal = setInterval(async () => connection.setMetadata(await metadata()), 5 * 60 * 1000);
  const worker = await Worker.create({
    connection, namespace, taskQueue, activities, workflowsPath: require.resolve('./workflows'),
  });
  await call('POST', '/workers', {
    identity: worker.options.identity, taskQueue, hostname: 'localhost', ip: '127.0.0.1',
    workflowTypes: ['SampleEngineWorkerLoanWorkflow'], activityTypes: Object.keys(activities),
  });
  await worker.run();
  clearInterval(renewal);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
