"""Calls of both API versions by clients that openapi-generator makes of their contracts."""
import os

import admin
import shape_a
import shape_b

endpoint = os.environ["COMPAT_ENDPOINT"]


def client(package, path):
    return package.ApiClient(package.Configuration(
        host=endpoint + path, username=os.environ["COMPAT_CLIENT_ID"], password=os.environ["COMPAT_CLIENT_SECRET"]))


b = client(shape_b, "/v2024-06-14")
processes, items = shape_b.ProcessesApi(b), shape_b.ProcessItemsApi(b)
process = processes.create_process(shape_b.ProcessCreateParams(process_definition_code="LOAN"))
item = items.create_process_item(shape_b.ProcessItemCreateParams(
    process_id=process.id, type=shape_b.ProcessItemType.TASK, process_item_definition_code="LOAN_APPLICATION"))
page = items.find_process_items(process_id=[process.id])
assert [found.process_item_definition_ref.code for found in page.content] == ["LOAN_APPLICATION"], page
patched = processes.patch_process_metadata(process.id, [
    shape_b.JsonPatchOperation(op="add", path="/FIRST_NAME", value="Carol")])
assert patched.metadata.value == {"FIRST_NAME": "Carol"}, patched
try:
    processes.create_process(shape_b.ProcessCreateParams())
    raise AssertionError("a process without a definition was created")
except shape_b.ApiException as refused:
    assert refused.status == 400 and "/processDefinitionId" in refused.body, refused

a = client(shape_a, "/v2022-10-08")
tasks = shape_a.TasksApi(a)
assert tasks.find_tasks(process_id=[process.id]).content[0].task_definition.name == "Loan application"
assert tasks.retrieve_task(item.id).state == shape_a.TaskState.READY
assert shape_a.ProcessesApi(a).retrieve_process(process.id).process_definition.name == "Loan"
shape_a.ProcessesApi(a).find_processes(size=1)
shape_a.PrincipalsApi(a).find_principals(size=1)

assert processes.cancel_process(process.id).state == shape_b.ProcessState.CANCELLED

administration = admin.ResourcesApi(admin.ApiClient(admin.Configuration(
    host=endpoint + "/admin/v1", access_token="demo-token-alice")))
assert administration.find_resources(kind=[admin.ResourceKind.PROCESSDEFINITION]).content
