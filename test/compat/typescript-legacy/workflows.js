// The loan of examples/loan, with Temporal's TypeScript SDK of January 2023.
const { condition, defineSignal, proxyActivities, setHandler, uuid4 } = require('@temporalio/workflow');

const { createItem, retrieveItem, retrieveProcess } = proxyActivities({ startToCloseTimeout: '1 minute' });
const processItem = defineSignal('KuFlow_Engine_Signal_Process_Item');
const EUROS = { EUR: 1, USD: 0.92, GBP: 1.17 };
const LIMIT = 5000;

exports.SampleEngineWorkerLoanWorkflow = async function (request) {
  const completed = new Set();
  setHandler(processItem, (signal) => void completed.add(signal.id));

  async function create(code, more) {
    const id = uuid4();
    await createItem({ id, type: 'TASK', processId: request.processId, processItemDefinitionCode: code, ...more });
    return id;
  }

  async function answer(id) {
    await condition(() => completed.has(id));
    return (await retrieveItem(id)).task.data.value;
  }

  const application = await answer(await create('LOAN_APPLICATION'));
  const { FIRST_NAME, LAST_NAME } = application;
  const AMOUNT = Math.round(100 * Number(application.AMOUNT) * EUROS[application.CURRENCY]) / 100;
  let granted = true;
  if (AMOUNT > LIMIT) {
    const review = await create('APPROVE_LOAN', { task: { data: { value: { FIRST_NAME, LAST_NAME, AMOUNT } } } });
    granted = (await answer(review)).APPROVAL === 'YES';
  }
  const { initiatorId } = await retrieveProcess(request.processId);
  const code = granted ? 'NOTIFICATION_GRANTED' : 'NOTIFICATION_REJECTION';
  await create(code, { ownerId: initiatorId });
  return { message: code };
};
