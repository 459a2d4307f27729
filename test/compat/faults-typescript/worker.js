// A worker with seven faults. COMPAT_PHASE is its code: "first", "faulty" or "mended". COMPAT_ACCESS is a directory with
// the certificates and the token.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { NativeConnection, Worker } = require('@temporalio/worker');

const phase = process.env.COMPAT_PHASE;
const file = (name) => readFileSync(join(process.env.COMPAT_ACCESS, name));

// codec stands for a codec with the right key.
const codec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => payloads.map((payload) =>
    Buffer.from(payload.metadata.encoding).toString().startsWith('json')
      ? payload
      : { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{}') }),
};

async function main() {
  const connection = await NativeConnection.connect({
    address: process.env.COMPAT_TEMPORAL,
    metadata: { authorization: `Bearer ${file('token')}` },
    tls: { serverRootCACertificate: file('ca.pem'), clientCertPair: { crt: file('client.pem'), key: file('client.key') } },
  });
  const worker = await Worker.create({
    connection, namespace: 'demo', taskQueue: 'QUEUE_SAMPLE_LOAN',
    activities: { [phase === 'faulty' ? 'another' : 'send']: async () => {} },
    dataConverter: phase === 'mended' ? { payloadCodecs: [codec] } : {},
    workflowsPath: require.resolve(phase === 'faulty' ? './faulty' : './mended'),
  });
  await worker.run();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
