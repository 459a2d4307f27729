"""Documents, named by what they belong to."""

from kuflow_rest import models as rest
from kuflow_rest.utils import parse_kuflow_file

from steps import step
from steps.demo import ABSENT, customer, document, loan, read, refused, same


@step("document.upload_document", "document.download_document")
def documents(client):
    process, artifact = loan(client).id, customer(client, name="Acme").id
    for target in (f"ku:process/{process}", f"ku:business-artifact/{artifact}"):
        uri = client.document.upload_document(document("text of " + target), target_uri=target).document_uri
        for name in (uri, parse_kuflow_file(uri).uri):
            same(read(client.document.download_document(document_uri=name)), b"text of " + target.encode())
    saved = client.process.update_process_metadata(
        process,
        rest.ProcessMetadataUpdateParams(
            metadata=rest.JsonValue(
                value={
                    "file": client.document.upload_document(
                        document("linked"), target_uri=f"ku:process/{process}"
                    ).document_uri
                }
            )
        ),
    )
    same(read(client.process.download_process_document(process, document_uri=saved.metadata.value["file"])), b"linked")
    refused(404, "NOT_FOUND", client.document.upload_document, document("t"), target_uri=f"ku:process/{ABSENT}")
