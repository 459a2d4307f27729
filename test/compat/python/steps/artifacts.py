"""Business artifacts, their documents and actions."""

import uuid

from kuflow_rest import models as rest
from kuflow_rest.utils import encode_filter_expression

from steps import step
from steps.demo import CUSTOMER, LOAN, WORKER, customer, document, patch, read, refused, same


def invoke(client, artifact: str, code: str, **members) -> rest.BusinessArtifactAction:
    return client.business_artifact.create_business_artifact_action(
        artifact, rest.BusinessArtifactActionCreateParams(business_artifact_action_definition_code=code, **members)
    )


@step(
    "business_artifact.create_business_artifact",
    "business_artifact.retrieve_business_artifact",
    "business_artifact.find_business_artifacts",
)
def create(client):
    name = "Acme " + uuid.uuid4().hex
    artifact = customer(client, name=name, tier="GOLD", balance=10)
    same((artifact.business_artifact_definition_ref.code, artifact.created_by), ("CUSTOMER", WORKER))
    same((artifact.data.valid, artifact.data.value), (True, {"name": name, "tier": "GOLD", "balance": 10}))
    same(artifact.uri, f"ku:business-artifact/{artifact.id}")
    same(client.business_artifact.retrieve_business_artifact(artifact.id).serialize(), artifact.serialize())
    page = client.business_artifact.find_business_artifacts(
        business_artifact_definition_id=CUSTOMER,
        value=[encode_filter_expression("name", "eq", name), encode_filter_expression("balance", "between", "1", "10")],
    )
    same([(a.id, a.uri) for a in page.content], [(artifact.id, artifact.uri)])


@step("business_artifact.update_business_artifact_data", "business_artifact.patch_business_artifact_data")
def data(client):
    id = customer(client, name="Acme").id
    params = rest.BusinessArtifactDataUpdateParams(data=rest.JsonValue(value={"name": 7}))
    saved = client.business_artifact.update_business_artifact_data(id, params)
    same([(e.property_path, e.type) for e in saved.data.errors], [("/name", "type")])
    patched = client.business_artifact.patch_business_artifact_data(id, patch("replace", "/name", "Bolt"))
    same((patched.data.valid, patched.data.value), (True, {"name": "Bolt"}))


@step("business_artifact.upload_business_artifact_document", "business_artifact.download_business_artifact_document")
def documents(client):
    id = customer(client, name="Acme").id
    uri = client.business_artifact.upload_business_artifact_document(id, document("of an artifact")).document_uri
    same(read(client.business_artifact.download_business_artifact_document(id, document_uri=uri)), b"of an artifact")


@step(
    "business_artifact.create_business_artifact_action",
    "business_artifact.retrieve_business_artifact_action",
    "business_artifact.cancel_business_artifact_action",
)
def actions(client):
    id = customer(client, name="Acme", tier="GOLD").id
    statement = invoke(
        client,
        id,
        "STATEMENT",
        id=str(uuid.uuid4()),
        downloadable=rest.BusinessArtifactActionCreateParamsDownloadable(input={"month": "2026-03"}),
    )
    same(
        (statement.type, statement.status),
        (rest.BusinessArtifactActionType.DOWNLOADABLE, rest.BusinessArtifactActionStatus.REQUESTED),
    )
    same((statement.downloadable.input.valid, statement.downloadable.input.value), (True, {"month": "2026-03"}))
    artifacts = client.business_artifact
    same(artifacts.retrieve_business_artifact_action(id, statement.id).serialize(), statement.serialize())
    same(artifacts.cancel_business_artifact_action(id, statement.id).status, rest.BusinessArtifactActionStatus.CANCELED)
    opened = invoke(
        client,
        id,
        "OPEN_LOAN",
        start_process=rest.BusinessArtifactActionCreateParamsStartProcess(metadata={"FIRST_NAME": "Ann"}),
    )
    same(
        (opened.status, opened.start_process.process_definition_id), (rest.BusinessArtifactActionStatus.COMPLETED, LOAN)
    )
    same(client.process.retrieve_process(opened.start_process.process_id).metadata.value, {"FIRST_NAME": "Ann"})
    same(artifacts.cancel_business_artifact_action(id, opened.id).status, rest.BusinessArtifactActionStatus.COMPLETED)


@step("business_artifact.prepare_business_artifact_action_create_artifact")
def prepare_create_artifact(client):
    id = customer(client, name="Acme", tier="GOLD", balance=1).id
    params = rest.BusinessArtifactActionCreateArtifactPrepareParams(business_artifact_action_definition_code="CLONE")
    prepared = client.business_artifact.prepare_business_artifact_action_create_artifact(id, params)
    same((prepared.business_artifact_definition_ref.id, prepared.value), (CUSTOMER, {"name": "Acme", "tier": "GOLD"}))
    block = rest.BusinessArtifactActionCreateParamsCreateArtifact(value={**prepared.value, "tier": "SILVER"})
    cloned = invoke(client, id, "CLONE", create_artifact=block).create_artifact
    made = client.business_artifact.retrieve_business_artifact(cloned.business_artifact_id)
    same((made.data.value, cloned.value), ({"name": "Acme", "tier": "SILVER"}, {"name": "Acme", "tier": "SILVER"}))


@step("business_artifact.prepare_business_artifact_action_start_process")
def prepare_start_process(client):
    id = customer(client, name="Acme").id
    params = rest.BusinessArtifactActionStartProcessPrepareParams(business_artifact_action_definition_code="OPEN_LOAN")
    prepared = client.business_artifact.prepare_business_artifact_action_start_process(id, params)
    same(prepared.process_definition_id, LOAN)


@step("business_artifact.delete_business_artifact", "business_artifact.restore_business_artifact")
def delete(client):
    artifact = customer(client, name="Acme " + uuid.uuid4().hex)
    artifacts, listed = client.business_artifact, encode_filter_expression("name", "eq", artifact.data.value["name"])
    for _ in range(2):
        artifacts.delete_business_artifact(artifact.id)
    only = artifacts.find_business_artifacts(
        business_artifact_definition_id=CUSTOMER, value=listed, deleted=rest.DeletedQueryParam.ONLY
    )
    same([(a.id, a.deleted_by) for a in only.content], [(artifact.id, WORKER)])
    same(artifacts.find_business_artifacts(business_artifact_definition_id=CUSTOMER, value=listed).content, [])
    refused(409, "INVALID_STATE", artifacts.patch_business_artifact_data, artifact.id, patch("add", "/notes", "n"))
    for _ in range(2):
        restored = artifacts.restore_business_artifact(artifact.id)
        same((restored.data.value, restored.deleted_at), (artifact.data.value, None))
    same(len(artifacts.find_business_artifacts(business_artifact_definition_id=CUSTOMER, value=listed).content), 1)
