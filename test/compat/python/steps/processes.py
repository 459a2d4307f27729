"""Processes, their values, documents and actions."""

import uuid

from kuflow_rest import models as rest
from kuflow_rest.utils import encode_filter_expression

from steps import step
from steps.demo import BOB, LOAN, TENANT, WORKER, alice, document, loan, patch, read, refused, same, task


@step("process.create_process", "process.retrieve_process")
def create(client):
    id, origin = str(uuid.uuid4()), loan(client)
    value = rest.JsonValue(value={"FIRST_NAME": 5})
    process = loan(client, id=id, metadata=value, initiator_email="carol@demo.example", related_process_id=origin.id)
    same(
        (process.id, process.state, process.tenant_id, process.created_by),
        (id, rest.ProcessState.RUNNING, TENANT, WORKER),
    )
    same((process.process_definition_ref.id, process.process_definition_ref.code), (LOAN, "LOAN"))
    same((process.metadata.valid, process.metadata.value), (False, {"FIRST_NAME": 5}))
    same([(e.property_path, e.type) for e in process.metadata.errors], [("/FIRST_NAME", "type")])
    same((process.process_related.incoming, process.process_related.outcoming), ([origin.id], []))
    again = loan(client, id=id, initiator_email="bob@demo.example")
    same(again.serialize(), process.serialize())
    same(client.process.retrieve_process(id).serialize(), process.serialize())


@step("process.find_processes")
def find(client):
    name = "Ann é " + uuid.uuid4().hex
    made = loan(client, metadata=rest.JsonValue(value={"LAST_NAME": name}))
    page = client.process.find_processes(
        process_definition_id=LOAN,
        metadata=encode_filter_expression("LAST_NAME", "eq", name),
        state=rest.ProcessState.RUNNING,
        initiator_id=[WORKER],
        sort=["createdAt,desc", "id"],
    )
    same([(p.id, p.state, p.initiator_id) for p in page.content], [(made.id, rest.ProcessState.RUNNING, WORKER)])
    newest = client.process.find_processes(size=1, page=0, sort="createdAt,desc")
    same([p.id for p in newest.content], [made.id])
    assert newest.metadata.total_pages == newest.metadata.total_elements > 1


@step("process.update_process_metadata", "process.patch_process_metadata")
def metadata(client):
    id = loan(client).id
    value = {"FIRST_NAME": "Ann", "n": 12345678901234567890, "list": [None, True, 1.5]}
    saved = client.process.update_process_metadata(
        id, rest.ProcessMetadataUpdateParams(metadata=rest.JsonValue(value=value))
    )
    same((saved.metadata.valid, saved.metadata.value), (True, value))
    patched = client.process.patch_process_metadata(id, patch("replace", "/FIRST_NAME", 7) + patch("remove", "/n"))
    same((patched.metadata.valid, patched.metadata.value), (False, {"FIRST_NAME": 7, "list": [None, True, 1.5]}))
    refused(409, "PATCH_FAILED", client.process.patch_process_metadata, id, patch("remove", "/absent"))


@step("process.update_process_entity", "process.patch_process_entity")
def entity(client):
    id = loan(client).id
    saved = client.process.update_process_entity(
        id, rest.ProcessEntityUpdateParams(entity=rest.JsonValue(value={"a": {"b": 1}}))
    )
    same(saved.entity.value, {"a": {"b": 1}})
    same(client.process.patch_process_entity(id, patch("add", "/a/c", "é")).entity.value, {"a": {"b": 1, "c": "é"}})


@step("process.upload_process_document", "process.download_process_document")
def documents(client):
    id = loan(client).id
    uri = client.process.upload_process_document(id, document("a text")).document_uri
    assert uri.startswith(f"kuflow-file:uri=ku:process/{id}/document/"), uri
    same(read(client.process.download_process_document(id, document_uri=uri)), b"a text")


@step("process.change_process_initiator")
def initiator(client):
    changed = client.process.change_process_initiator(
        loan(client).id, rest.ProcessChangeInitiatorParams(initiator_id=BOB)
    )
    same(changed.initiator_id, BOB)


@step("process.create_process_action", "process.retrieve_process_action", "process.cancel_process_action")
def actions(client):
    id = loan(client).id
    params = rest.ProcessActionCreateParams(
        id=str(uuid.uuid4()),
        process_action_definition_code="TOP_UP",
        start_related_process=rest.ProcessActionCreateParamsStartRelatedProcess(metadata={"FIRST_NAME": "Ann"}),
    )
    refused(403, "ACCESS_DENIED", client.process.create_process_action, id, params)
    top_up = alice().process.create_process_action(id, params)
    same(
        (top_up.type, top_up.status), (rest.ProcessActionType.START_RELATED_PROCESS, rest.ProcessActionStatus.COMPLETED)
    )
    started = client.process.retrieve_process(top_up.start_related_process.process_id)
    same((started.process_related.incoming, started.metadata.value), ([id], {"FIRST_NAME": "Ann"}))
    report = client.process.create_process_action(
        id, rest.ProcessActionCreateParams(process_action_definition_code="REPORT")
    )
    same((report.type, report.status), (rest.ProcessActionType.DOWNLOADABLE, rest.ProcessActionStatus.REQUESTED))
    same(client.process.retrieve_process_action(id, report.id).status, rest.ProcessActionStatus.REQUESTED)
    same(client.process.cancel_process_action(id, report.id).status, rest.ProcessActionStatus.CANCELED)
    same(client.process.cancel_process_action(id, top_up.id).status, rest.ProcessActionStatus.COMPLETED)


@step("process.create_process_action")
def action_in_a_thread(client):
    id = loan(client).id
    refused(
        403,
        "ACCESS_DENIED",
        client.process.create_process_action,
        id,
        rest.ProcessActionCreateParams(process_action_definition_code="EXTRA_REVIEW"),
    )
    client.process_item.complete_process_item_task(task(client, id, "LOAN_APPLICATION", owner_id=WORKER).id)
    thread = client.process_item.create_process_item(
        rest.ProcessItemCreateParams(
            type=rest.ProcessItemType.THREAD, process_id=id, process_item_definition_code="DISCUSSION"
        )
    ).id
    review = client.process.create_process_action(
        id,
        rest.ProcessActionCreateParams(
            process_action_definition_code="EXTRA_REVIEW",
            create_task=rest.ProcessActionCreateParamsCreateTask(process_item_thread_id=thread),
        ),
    )
    made = client.process_item.retrieve_process_item(review.create_task.process_item_id)
    same((made.process_item_thread_id, made.process_item_definition_ref.code), (thread, "APPROVE_LOAN"))


@step("process.cancel_process_items", "process.cancel_process", "process.complete_process")
def ends(client):
    id = loan(client).id
    first, second = task(client, id, "LOAN_APPLICATION").id, task(client, id, "LOAN_APPLICATION").id
    state = lambda item: client.process_item.retrieve_process_item(item).task.state  # noqa: E731
    same(client.process.cancel_process_items(id, process_item_id=first).state, rest.ProcessState.RUNNING)
    same((state(first), state(second)), (rest.ProcessItemTaskState.CANCELLED, rest.ProcessItemTaskState.READY))
    for _ in range(2):
        same(client.process.cancel_process(id).state, rest.ProcessState.CANCELLED)
    same(state(second), rest.ProcessItemTaskState.CANCELLED)
    other = loan(client).id
    for _ in range(2):
        same(client.process.complete_process(other).state, rest.ProcessState.COMPLETED)


@step("process.delete_process")
def delete(client):
    id = loan(client).id
    item = task(client, id, "LOAN_APPLICATION").id
    refused(409, "INVALID_STATE", client.process.delete_process, id)
    client.process.cancel_process(id)
    for _ in range(2):
        client.process.delete_process(id)
    deleted = client.process.retrieve_process(id)
    same((deleted.uri, deleted.deleted_by), (f"ku:process/{id}", WORKER))
    assert deleted.deleted_at >= deleted.created_at
    for mode, found in {None: 0, rest.DeletedQueryParam.INCLUDE: 1, rest.DeletedQueryParam.ONLY: 1}.items():
        page = client.process.find_processes(process_definition_id=LOAN, size=1000, deleted=mode)
        same(len([p for p in page.content if p.id == id]), found)
        page = client.process_item.find_process_items(process_id=id, deleted=mode)
        same([i.id for i in page.content], [item] * found)
