import { ApplicationFailure, condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

import type { activities, ItemParams } from './activities';
import * as loan from './definition';

const call = proxyActivities<typeof activities>({ startToCloseTimeout: '1 minute' });
const processItem = defineSignal<[{ id: string }]>('KuFlow_Engine_Signal_Process_Item');

/** The largest amount in cents of EUR that is granted without approval. */
const LIMIT = 500_000;
/** What 100 units of a currency are worth in EUR. A workflow must decide the same on every replay, so rates are fixed. */
const RATES = { EUR: 100, USD: 92, GBP: 117 };

/** Asks for an application, has amounts above the limit approved, and notifies the initiator of the process. */
async function run({ processId }: { processId: string }): Promise<{ message: string }> {
  const completed = new Set<string>();
  setHandler(processItem, (signal) => void completed.add(signal.id));

  async function create(code: string, more: Partial<ItemParams> = {}) {
    const params: ItemParams = { type: 'TASK', processId, processItemDefinitionCode: code, ...more };
    return (await call.KuFlow_Engine_createProcessItem(params)).processItem;
  }

  /** Creates a task, waits until it is completed, which may take months, and returns its data. */
  async function task<T>(code: string, value?: Partial<T>): Promise<Partial<T>> {
    const { id, task } = await create(code, value && { task: { data: { value } } });
    if (task?.state !== 'COMPLETED') await condition(() => completed.has(id));
    const { processItem } = await call.KuFlow_Engine_retrieveProcessItem({ processItemId: id });
    return (processItem.task?.data?.value ?? {}) as Partial<T>;
  }

  const asked = await task<loan.LoanApplication>(loan.TASK_LOAN_APPLICATION);
  const { FIRST_NAME, LAST_NAME } = asked;
  const metadata: loan.Metadata = { FIRST_NAME, LAST_NAME };
  await call.KuFlow_Engine_patchProcessMetadata({
    processId,
    jsonPatch: Object.entries(metadata).map(([name, value]) => ({ op: 'add' as const, path: `/${name}`, value })),
  });
  const cents = centsOf(asked);
  let granted = true;
  if (cents > LIMIT) {
    const AMOUNT = (cents / 100).toFixed(2);
    const decided = await task<loan.ApproveLoan>(loan.TASK_APPROVE_LOAN, { FIRST_NAME, LAST_NAME, AMOUNT });
    granted = decided.APPROVAL === 'YES';
  }
  const { process } = await call.KuFlow_Engine_retrieveProcess({ processId });
  await create(granted ? loan.TASK_NOTIFICATION_GRANTED : loan.TASK_NOTIFICATION_REJECTION, { ownerId: process.initiatorId });
  return { message: granted ? 'The loan is granted' : 'The loan is rejected' };
}

/** The amount of an application in cents of EUR. Data that violates its schema can be completed, and fails here. */
function centsOf({ AMOUNT, CURRENCY = 'EUR' }: Partial<loan.LoanApplication>): number {
  const [, whole, fraction = ''] = /^([0-9]{1,10})(?:\.([0-9]{1,2}))?$/.exec(String(AMOUNT).trim()) ?? [];
  if (whole === undefined || !Object.hasOwn(RATES, CURRENCY)) {
    throw ApplicationFailure.nonRetryable(`AMOUNT ${AMOUNT} ${CURRENCY} cannot be converted`, 'LoanApplicationInvalid');
  }
  return (Number(whole + fraction.padEnd(2, '0')) * RATES[CURRENCY]) / 100;
}

// The definition says what the type of the workflow is called.
export { run as SampleEngineWorkerLoanWorkflow };
