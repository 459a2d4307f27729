"""The loan of examples/loan, written with the public Python SDK.

The worker reads where the service is and who it is from the environment:
COMPAT_ENDPOINT, COMPAT_TEMPORAL, COMPAT_CLIENT_ID and COMPAT_CLIENT_SECRET.
"""

import asyncio
import os
from datetime import timedelta

from kuflow_rest import KuFlowRestClient, models as rest
from kuflow_temporal_activity_kuflow import KuFlowActivities, models as activity
from kuflow_temporal_worker import (
    KuFlowConfig,
    KuFlowTemporalConnection,
    TemporalClientConfig,
    TemporalConfig,
    TemporalWorkerConfig,
)
from kuflow_temporal_workflow_kuflow import models as engine
from temporalio import workflow
from temporalio.worker import UnsandboxedWorkflowRunner

EUROS = {"EUR": 1, "USD": 0.92, "GBP": 1.17}
LIMIT = 5000


@workflow.defn(name="SampleEngineWorkerLoanWorkflow")
class LoanWorkflow:
    def __init__(self) -> None:
        self._completed: set[str] = set()

    @workflow.signal(name="KuFlow_Engine_Signal_Process_Item")
    async def process_item(self, signal: engine.SignalProcessItem) -> None:
        self._completed.add(signal.id)

    @workflow.run
    async def run(self, request: engine.WorkflowRequest) -> engine.WorkflowResponse:
        process = request.process_id
        application = await self._answer(await self._create(process, "LOAN_APPLICATION"))
        name = {key: application[key] for key in ("FIRST_NAME", "LAST_NAME")}
        await self._call(
            "patchProcessMetadata",
            activity.ProcessMetadataPatchRequest(
                process_id=process,
                json_patch=[
                    rest.JsonPatchOperation(op="add", path="/" + key, value=value) for key, value in name.items()
                ],
            ),
            activity.ProcessMetadataPatchResponse,
        )
        amount = round(float(application["AMOUNT"]) * EUROS[application["CURRENCY"]], 2)
        granted = True
        if amount > LIMIT:
            review = await self._create(process, "APPROVE_LOAN", {**name, "AMOUNT": amount})
            granted = (await self._answer(review))["APPROVAL"] == "YES"
        found = await self._call(
            "retrieveProcess",
            activity.ProcessRetrieveRequest(process_id=process),
            activity.ProcessRetrieveResponse,
        )
        code = "NOTIFICATION_GRANTED" if granted else "NOTIFICATION_REJECTION"
        await self._create(process, code, owner=found.process.initiator_id)
        return engine.WorkflowResponse(message=code)

    async def _create(self, process: str, code: str, value=None, owner=None) -> str:
        task = rest.ProcessItemTaskCreateParams(data=rest.JsonValue(value=value)) if value else None
        item = activity.ProcessItemCreateRequest(
            id=str(workflow.uuid4()),
            type=rest.ProcessItemType.TASK,
            process_id=process,
            owner_id=owner,
            process_item_definition_code=code,
            task=task,
        )
        await self._call("createProcessItem", item, activity.ProcessItemCreateResponse)
        return item.id

    async def _answer(self, item: str) -> dict:
        """Waits until a task is completed and returns its data."""
        await workflow.wait_condition(lambda: item in self._completed)
        found = await self._call(
            "retrieveProcessItem",
            activity.ProcessItemRetrieveRequest(process_item_id=item),
            activity.ProcessItemRetrieveResponse,
        )
        return found.process_item.task.data.value

    async def _call(self, operation: str, request, response):
        return await workflow.execute_activity(
            "KuFlow_Engine_" + operation,
            request,
            result_type=response,
            start_to_close_timeout=timedelta(minutes=1),
        )


async def main() -> None:
    client = KuFlowRestClient(
        client_id=os.environ["COMPAT_CLIENT_ID"],
        client_secret=os.environ["COMPAT_CLIENT_SECRET"],
        endpoint=os.environ["COMPAT_ENDPOINT"],
        allow_insecure_connection=True,
    )
    connection = KuFlowTemporalConnection(
        kuflow=KuFlowConfig(rest_client=client),
        temporal=TemporalConfig(
            client=TemporalClientConfig(
                target_host=os.environ["COMPAT_TEMPORAL"],
                # False leaves TLS to the certificate of the service.
                tls=None if os.environ.get("COMPAT_PLAINTEXT") else False,
            ),
            worker=TemporalWorkerConfig(
                task_queue="QUEUE_SAMPLE_LOAN",
                workflows=[LoanWorkflow],
                activities=KuFlowActivities(client).activities,
                # The SDK's models cannot be loaded inside Temporal's sandbox.
                workflow_runner=UnsandboxedWorkflowRunner(),
            ),
        ),
    )
    await connection.run_worker()


asyncio.run(main())
