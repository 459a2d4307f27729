"""The demonstration data, and what several steps need."""

import io
import os
import sys

from azure.core.exceptions import HttpResponseError
from kuflow_rest import KuBotTokenCredential, KuFlowRestClient, models as rest

TENANT = "01970000-0000-7000-8000-0000000000a1"
WORKER = "01970000-0000-7000-8000-00000000a001"
ALICE = "01970000-0000-7000-8000-00000000c001"
BOB = "01970000-0000-7000-8000-00000000c002"
CAROL = "01970000-0000-7000-8000-00000000c003"
REVIEWERS = "01970000-0000-7000-8000-00000000d001"
LOAN = "01970000-0000-7000-8000-00000000e001"
CUSTOMER = "01970000-0000-7000-8000-00000000f001"
ROBOT = "01970000-0000-7000-8000-000000009001"
ABSENT = "01970000-0000-7000-8000-00000000ffff"


def same(got, want) -> None:
    if got != want:
        raise AssertionError(f"got {got!r}, want {want!r}")


def refused(status: int, code: str, call, *args, **kwargs) -> rest.DefaultError:
    """Requires an error with the status and the code, decoded by the SDK."""
    try:
        call(*args, **kwargs)
    except HttpResponseError as error:
        same(error.status_code, status)
        decoded = error.model or rest.DefaultError.deserialize(error.response.json())
        same((decoded.status, decoded.errors[0].code), (status, code))
        return decoded
    raise AssertionError(f"{code} was expected")


def alice() -> KuFlowRestClient:
    """A client of Alice, who may start loans; the worker manages them only."""
    return KuFlowRestClient(
        credential=KuBotTokenCredential("demo-token-alice", sys.maxsize),
        endpoint=os.environ["COMPAT_ENDPOINT"],
        allow_insecure_connection=True,
    )


def loan(client: KuFlowRestClient, **members) -> rest.Process:
    return client.process.create_process(rest.ProcessCreateParams(process_definition_id=LOAN, **members))


def task(client: KuFlowRestClient, process: str, code: str, **members) -> rest.ProcessItem:
    return client.process_item.create_process_item(
        rest.ProcessItemCreateParams(
            type=rest.ProcessItemType.TASK, process_id=process, process_item_definition_code=code, **members
        )
    )


def customer(client: KuFlowRestClient, **data) -> rest.BusinessArtifact:
    return client.business_artifact.create_business_artifact(
        rest.BusinessArtifactCreateParams(business_artifact_definition_id=CUSTOMER, data=rest.JsonValue(value=data))
    )


def document(text: str, name: str = "note.txt") -> rest.Document:
    return rest.Document(file_name=name, content_type="text/plain", file_content=io.BytesIO(text.encode()))


def read(chunks) -> bytes:
    return b"".join(chunks)


def patch(op: str, path: str, value=None) -> list[rest.JsonPatchOperation]:
    return [rest.JsonPatchOperation(op=op, path=path, value=value)]
