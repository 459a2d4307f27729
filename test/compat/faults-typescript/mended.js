const { condition, defineSignal, proxyActivities, setHandler, sleep, workflowInfo } = require('@temporalio/workflow');

const { send } = proxyActivities({
  startToCloseTimeout: '1 minute', retry: { initialInterval: 10, backoffCoefficient: 1 },
});

// The last digit of the workflow id chooses the fault, which begin has.
async function run(begin) {
  let woken = false;
  setHandler(defineSignal('KuFlow_Engine_Signal_Process_Item'), () => { woken = true; });
  const fault = workflowInfo().workflowId.at(-1);
  await begin?.(fault, send);
  if (fault === '5') {
    await send();
  }
  if (fault === '6') {
    await condition(() => woken);
  }
  await sleep('1 hour');
}

exports.run = run;
exports.SampleEngineWorkerLoanWorkflow = () => run();
