"""Process items: tasks, messages and threads."""

import time
import uuid

from kuflow_rest import models as rest

from steps import step
from steps.demo import BOB, WORKER, loan, patch, read, refused, same, task

APPLICATION = {"FIRST_NAME": "Ann", "LAST_NAME": "Lee", "CURRENCY": "EUR", "AMOUNT": 100}


@step("process_item.create_process_item", "process_item.retrieve_process_item", "process_item.find_process_items")
def create(client):
    process, id = loan(client).id, str(uuid.uuid4())
    data = rest.ProcessItemTaskCreateParams(
        data=rest.JsonValue(value=APPLICATION), context_data=rest.JsonValue(value={"a": 1})
    )
    item = task(client, process, "LOAN_APPLICATION", id=id, owner_email="bob@demo.example", task=data)
    same(
        (item.id, item.owner_id, item.created_by, item.task.state), (id, BOB, WORKER, rest.ProcessItemTaskState.CLAIMED)
    )
    same((item.task.data.valid, item.task.data.value, item.task.context_data.value), (True, APPLICATION, {"a": 1}))
    same(task(client, process, "LOAN_APPLICATION", id=id).serialize(), item.serialize())
    same(client.process_item.retrieve_process_item(id).serialize(), item.serialize())
    create_item = client.process_item.create_process_item
    thread = create_item(
        rest.ProcessItemCreateParams(
            type=rest.ProcessItemType.THREAD, process_id=process, process_item_definition_code="DISCUSSION"
        )
    )
    message = create_item(
        rest.ProcessItemCreateParams(
            type=rest.ProcessItemType.MESSAGE,
            process_id=process,
            message=rest.ProcessItemMessageCreateParams(text="*t*"),
            process_item_thread_id=thread.id,
        )
    )
    same((message.message.text, message.task, message.process_item_thread_id), ("*t*", None, thread.id))
    page = client.process_item.find_process_items(process_id=process, sort="createdAt")
    same(
        [i.type for i in page.content],
        [rest.ProcessItemType.TASK, rest.ProcessItemType.THREAD, rest.ProcessItemType.MESSAGE],
    )
    same([i.uri for i in page.content], [f"ku:process-item/{i.id}" for i in page.content])
    page = client.process_item.find_process_items(
        process_id=[process], type=[rest.ProcessItemType.TASK], task_state=rest.ProcessItemTaskState.CLAIMED
    )
    same([(i.id, i.task.state) for i in page.content], [(id, rest.ProcessItemTaskState.CLAIMED)])


@step(
    "process_item.claim_process_item_task",
    "process_item.assign_process_item_task",
    "process_item.complete_process_item_task",
)
def states(client):
    id = task(client, loan(client).id, "LOAN_APPLICATION").id
    items = client.process_item
    refused(409, "INVALID_STATE", items.complete_process_item_task, id)
    claimed = items.claim_process_item_task(id)
    same((claimed.task.state, claimed.owner_id), (rest.ProcessItemTaskState.CLAIMED, WORKER))
    same(
        items.assign_process_item_task(id, rest.ProcessItemTaskAssignParams(owner_email="bob@demo.example")).owner_id,
        BOB,
    )
    refused(403, "TASK_NOT_OWNED", items.complete_process_item_task, id)
    items.assign_process_item_task(id, rest.ProcessItemTaskAssignParams(owner_id=WORKER))
    same(items.complete_process_item_task(id).task.state, rest.ProcessItemTaskState.COMPLETED)


@step("process_item.append_process_item_task_log")
def log(client):
    id = task(client, loan(client).id, "LOAN_APPLICATION").id
    entry = rest.ProcessItemTaskAppendLogParams(message="m", level=rest.ProcessItemTaskLogLevel.WARN)
    logs = client.process_item.append_process_item_task_log(id, entry).task.logs
    same([(e.message, e.level) for e in logs], [("m", rest.ProcessItemTaskLogLevel.WARN)])
    assert logs[0].id and logs[0].timestamp


@step(
    "process_item.update_process_item_task_data",
    "process_item.patch_process_item_task_data",
    "process_item.update_process_item_task_context_data",
    "process_item.download_process_item_task_data_webforms_as_document",
)
def data(client):
    id = task(client, loan(client).id, "LOAN_APPLICATION").id
    items = client.process_item
    saved = items.update_process_item_task_data(
        id, rest.ProcessItemTaskDataUpdateParams(data=rest.JsonValue(value={**APPLICATION, "CURRENCY": "XXX"}))
    )
    same([(e.property_path, e.type) for e in saved.task.data.errors], [("/CURRENCY", "enum")])
    same(items.patch_process_item_task_data(id, patch("replace", "/CURRENCY", "USD")).task.data.valid, True)
    context = rest.ProcessItemTaskContextDataUpdateParams(data=rest.JsonValue(value={"hint": "é"}))
    same(items.update_process_item_task_context_data(id, context).task.context_data.value, {"hint": "é"})
    same(read(items.download_process_item_task_data_webforms_as_document(id, property_path=""))[:5], b"%PDF-")


@step("process_item.generate_process_item_ai_assistance", "process_item.retrieve_process_item_ai_assistance")
def assistance(client):
    id = task(client, loan(client).id, "APPROVE_LOAN").id
    items, request = client.process_item, str(uuid.uuid4())
    refused(404, "NOT_FOUND", items.retrieve_process_item_ai_assistance, id)
    params = rest.ProcessItemAiAssistanceGenerateParams(request_id=request)
    run = items.generate_process_item_ai_assistance(id, params)
    same(run.request_id, request)
    end = time.monotonic() + 60
    while run.state == rest.ProcessItemAiAssistanceState.PENDING and time.monotonic() < end:
        time.sleep(min(run.retry_after_seconds or 1, 2))
        run = items.retrieve_process_item_ai_assistance(id)
    same((run.state, run.request_id, bool(run.model)), (rest.ProcessItemAiAssistanceState.COMPLETED, request, True))
    same(items.generate_process_item_ai_assistance(id, params).finished_at, run.finished_at)
