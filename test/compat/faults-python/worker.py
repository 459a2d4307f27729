"""A worker with seven faults, for the SDKs that both generations of the public Python SDK use.

The last digit of the workflow id chooses the fault. COMPAT_PHASE is the code of the worker: "first", "faulty" or
"mended". COMPAT_ACCESS is a directory with the certificates and the token.
"""

import asyncio
import dataclasses
import os
import pathlib
import time
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.api.common.v1 import Payload
from temporalio.client import Client, TLSConfig
from temporalio.common import RetryPolicy
from temporalio.converter import DataConverter, PayloadCodec
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

FAULTY = os.environ["COMPAT_PHASE"] == "faulty"
MENDED = os.environ["COMPAT_PHASE"] == "mended"


@activity.defn
async def send() -> None:
    pass


@activity.defn
async def another() -> None:
    pass


@workflow.defn(name="SampleEngineWorkerLoanWorkflow")
class Faults:
    def __init__(self) -> None:
        self._woken = False

    @workflow.signal(name="KuFlow_Engine_Signal_Process_Item")
    async def wake(self, signal: dict) -> None:
        self._woken = True

    @workflow.run
    async def run(self, request: dict) -> None:
        fault = workflow.info().workflow_id[-1]
        if fault == "1" and FAULTY:
            raise ValueError("no rate for the currency")
        if fault == "2" and FAULTY:
            missing = None
            missing.upper()
        if fault == "3" and FAULTY:
            time.sleep(4)
        if fault == "5" or fault == "4" and FAULTY:
            await workflow.execute_activity(
                "send",
                start_to_close_timeout=timedelta(minutes=1),
                retry_policy=RetryPolicy(initial_interval=timedelta(milliseconds=10), backoff_coefficient=1),
            )
        if fault == "6":
            await workflow.wait_condition(lambda: self._woken)
        await asyncio.sleep(3600)


class Codec(PayloadCodec):
    """Stands for a codec with the right key."""

    async def encode(self, payloads):
        return list(payloads)

    async def decode(self, payloads):
        return [
            p if p.metadata["encoding"].startswith(b"json") else Payload(metadata={"encoding": b"json/plain"}, data=b"{}")
            for p in payloads
        ]


async def main() -> None:
    access = pathlib.Path(os.environ["COMPAT_ACCESS"])
    converter = DataConverter.default
    client = await Client.connect(
        os.environ["COMPAT_TEMPORAL"],
        namespace="demo",
        data_converter=dataclasses.replace(converter, payload_codec=Codec()) if MENDED else converter,
        rpc_metadata={"authorization": "Bearer " + (access / "token").read_text()},
        tls=TLSConfig(
            server_root_ca_cert=(access / "ca.pem").read_bytes(),
            client_cert=(access / "client.pem").read_bytes(),
            client_private_key=(access / "client.key").read_bytes(),
        ),
    )
    worker = Worker(
        client,
        task_queue="QUEUE_SAMPLE_LOAN",
        workflows=[Faults],
        activities=[another] if FAULTY else [send],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )
    await worker.run()


asyncio.run(main())
