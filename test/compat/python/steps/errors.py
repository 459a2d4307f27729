"""Refusals, decoded by the SDK."""

from kuflow_rest import models as rest

from steps import step
from steps.demo import ABSENT, LOAN, loan, refused, same


@step()
def errors(client):
    absent = refused(404, "NOT_FOUND", client.process.retrieve_process, ABSENT)
    assert absent.timestamp and absent.message
    id = loan(client).id
    client.process.complete_process(id)
    refused(409, "INVALID_STATE", client.process.cancel_process, id)
    params = rest.ProcessMetadataUpdateParams(metadata=rest.JsonValue(value={}))
    refused(403, "PROCESS_FINISHED", client.process.update_process_metadata, id, params)
    invalid = refused(
        400, "VALIDATION", client.process.create_process, rest.ProcessCreateParams(process_definition_id=LOAN, id="x")
    )
    same([(e.location, e.location_type) for e in invalid.errors], [("/id", "body")])
    query = refused(400, "VALIDATION", client.process.find_processes, size=1001, sort="colour")
    same(sorted((e.location, e.location_type) for e in query.errors), [("size", "query"), ("sort", "query")])
