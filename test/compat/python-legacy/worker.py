"""The inspection of examples/inspection, written with the public Python SDK of mid 2023 (version 1.0).

It waits for tasks as that version does: in an activity that the service completes by its token. The worker reads where
the service is and who it is from the environment: COMPAT_ENDPOINT, COMPAT_TEMPORAL, COMPAT_CLIENT_ID and
COMPAT_CLIENT_SECRET.
"""

import asyncio
import base64
import json
import os
import urllib.request
from datetime import timedelta

from kuflow_rest import KuFlowRestClient, models as rest
from kuflow_temporal_activity_kuflow import KuFlowAsyncActivities, KuFlowSyncActivities, models
from kuflow_temporal_common.connection import (
    KuFlowConfig,
    KuFlowTemporalConnection,
    TemporalClientConfig,
    TemporalConfig,
    TemporalWorkerConfig,
)
from temporalio import workflow
from temporalio.client import TLSConfig
from temporalio.worker import UnsandboxedWorkflowRunner


@workflow.defn(name="InspectionWorkflow")
class InspectionWorkflow:
    @workflow.signal(name="KuFlow_Engine_Signal_Completed_Task")
    async def completed(self, task_id: str) -> None:
        """Knows the signal, which is sent beside the completed activity: this SDK fails on a signal without a handler."""

    @workflow.run
    async def run(self, request: models.WorkflowRequest) -> models.WorkflowResponse:
        task = rest.Task(
            id=str(workflow.uuid4()),
            process_id=request.process_id,
            task_definition=rest.TaskDefinitionSummary(code="INSPECT"),
        )
        await self._call(KuFlowAsyncActivities.create_task_and_wait_finished, models.CreateTaskRequest(task=task))
        found = await self._call(KuFlowSyncActivities.retrieve_task, models.RetrieveTaskRequest(task_id=task.id))
        score = rest.ProcessElementValueNumber(value=7, valid=True)
        await self._call(
            KuFlowSyncActivities.save_process_element,
            models.SaveProcessElementRequest(
                process_id=request.process_id, element_definition_code="SCORE", element_values=[score]
            ),
        )
        return models.WorkflowResponse(message="Inspected: " + str(found.task.state))

    async def _call(self, activity, request):
        return await workflow.execute_activity_method(activity, request, start_to_close_timeout=timedelta(days=1))


def engine_certificate() -> dict:
    """Asks for a certificate, which this version of the SDK leaves to its user."""
    pair = os.environ["COMPAT_CLIENT_ID"] + ":" + os.environ["COMPAT_CLIENT_SECRET"]
    request = urllib.request.Request(
        os.environ["COMPAT_ENDPOINT"] + "/v2022-10-08/authentications",
        data=json.dumps({"type": "ENGINE_CERTIFICATE"}).encode(),
        headers={
            "Authorization": "Basic " + base64.b64encode(pair.encode()).decode(),
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["engineCertificate"]


async def main() -> None:
    client = KuFlowRestClient(
        client_id=os.environ["COMPAT_CLIENT_ID"],
        client_secret=os.environ["COMPAT_CLIENT_SECRET"],
        endpoint=os.environ["COMPAT_ENDPOINT"] + "/v2022-10-08",
        allow_insecure_connection=True,
    )
    certificate = engine_certificate()
    tls = certificate["tls"]
    connection = KuFlowTemporalConnection(
        kuflow=KuFlowConfig(rest_client=client),
        temporal=TemporalConfig(
            client=TemporalClientConfig(
                target_host=os.environ["COMPAT_TEMPORAL"],
                namespace=certificate["namespace"],
                tls=None
                if os.environ.get("COMPAT_PLAINTEXT")
                else TLSConfig(
                    server_root_ca_cert=tls["serverRootCaCertificate"].encode(),
                    client_cert=tls["clientCertificate"].encode(),
                    client_private_key=tls["clientPrivateKey"].encode(),
                ),
            ),
            worker=TemporalWorkerConfig(
                task_queue="QUEUE_INSPECTION",
                workflows=[InspectionWorkflow],
                activities=KuFlowSyncActivities(client).activities + KuFlowAsyncActivities(client).activities,
                workflow_runner=UnsandboxedWorkflowRunner(),
            ),
        ),
    )
    await connection.run_worker()


asyncio.run(main())
