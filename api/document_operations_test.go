package api_test

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// withDocuments completes a fixture by documents, which as uploads.
func (f fixture) withDocuments(s *apitest.Service, as demo.Account) fixture {
	s.T.Helper()
	f.action = s.Invoke(as, f.process, apitest.InvokeReport).ID
	f.document = s.Upload(as, "/processes/"+f.process.String(), "of a process")
	f.artifactDocument = s.Upload(as, "/business-artifacts/"+f.artifact.String(), "of an artifact")
	return f
}

// withLinkedDocuments completes a fixture by documents that values refer to.
func (f fixture) withLinkedDocuments(s *apitest.Service, as demo.Account) fixture {
	s.T.Helper()
	process := apitest.ProcessPath(f.process, "")
	f.taskDocument, f.processDocument = s.Upload(as, process, "of the task"), s.Upload(as, process, "of the process")
	s.Call(200, as, http.MethodPut, apitest.ItemPath(f.task, "/task/context-data"), `{"data":{"value":{"FILE":"`+f.taskDocument+`"}}}`)
	s.Call(200, as, http.MethodPut, process+"/metadata", apitest.Metadata(f.processDocument))
	return f
}

// withAbsentDocuments completes a fixture by documents that do not exist.
func (f fixture) withAbsentDocuments() fixture {
	uri := func(owner kuflowref.Owner, id uuid.UUID) string {
		at := kuflowref.URI{Owner: owner, OwnerID: id, DocumentID: uuid.New()}
		return kuflowref.File{URI: at.String(), Type: "text/plain", Size: 12, Name: "note.txt"}.String()
	}
	f.action = uuid.New()
	f.document = uri(kuflowref.OwnerProcess, f.process)
	f.taskDocument, f.processDocument = f.document, f.document
	f.artifactDocument = uri(kuflowref.OwnerBusinessArtifact, f.artifact)
	return f
}

// documentOperations returns the valid requests about documents.
func (f fixture) documentOperations() map[string]operation {
	process, artifact := "/processes/"+f.process.String(), "/business-artifacts/"+f.artifact.String()
	of := func(method, path, body string) operation {
		return operation{method: method, path: path, body: body, byID: true}
	}
	return map[string]operation{
		"B.uploadProcessDocument": of(http.MethodPost, apitest.UploadPath(process, "text/plain", "note.txt"), "text"),
		"B.uploadProcessUserActionDocument": of(http.MethodPost, strings.Replace(
			apitest.UploadPath(process, "text/plain", "note.txt"), "upload-document?", "upload-user-action-document?", 1)+
			"&userActionValueId="+f.action.String(), "text"),
		"B.downloadProcessDocument":          of(http.MethodGet, apitest.DownloadPath(process, f.document), ""),
		"B.uploadBusinessArtifactDocument":   of(http.MethodPost, apitest.UploadPath(artifact, "text/plain", "note.txt"), "text"),
		"B.downloadBusinessArtifactDocument": of(http.MethodGet, apitest.DownloadPath(artifact, f.artifactDocument), ""),
		"B.uploadDocument":                   {method: http.MethodPost, path: apitest.UploadFor("ku:process/"+f.process.String(), "text/plain", "note.txt"), body: "text"},
		"B.downloadDocument":                 {method: http.MethodGet, path: apitest.DownloadAt(f.document)},
	}
}
