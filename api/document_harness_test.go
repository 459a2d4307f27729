package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	blobs "github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// openDocuments opens a store that is fast.
func openDocuments(t *testing.T, dir string) *blobs.Store {
	t.Helper()
	store, err := blobs.Open(t.Context(), "file://"+dir+"?fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// uploadPath is where a document with the name is uploaded to.
func uploadPath(owner, contentType, name string) string {
	return owner + "/~actions/upload-document?" +
		url.Values{"fileContentType": {contentType}, "fileName": {name}}.Encode()
}

// uploadFor is where a document for an address is uploaded to.
func uploadFor(target, contentType, name string) string {
	return "/documents/~actions/upload?" +
		url.Values{"targetUri": {target}, "fileContentType": {contentType}, "fileName": {name}}.Encode()
}

// downloadAt is where a document is downloaded from by its address.
func downloadAt(uri string) string {
	return "/documents/~actions/download?" + url.Values{"documentUri": {uri}}.Encode()
}

func downloadPath(owner, uri string) string {
	return owner + "/~actions/download-document?" + url.Values{"documentUri": {uri}}.Encode()
}

// upload uploads a text into a process or an artifact, by its path, and returns
// the document's uri.
func (s *service) upload(as demo.Account, owner, text string) string {
	s.t.Helper()
	return s.uploadAs(as, owner, "text/plain", "note.txt", text)
}

func (s *service) uploadAs(as demo.Account, owner, contentType, name, text string) string {
	s.t.Helper()
	stored := decode[oasb.DocumentReference](s.t, s.post(200, as, uploadPath(owner, contentType, name), text))
	return stored.DocumentURI
}

// download returns the text of a document.
func (s *service) download(as demo.Account, owner, uri string) string {
	s.t.Helper()
	return s.get(200, as, downloadPath(owner, uri)).body
}

// documentOf is the id of the document that a reference or an address names.
func documentOf(t *testing.T, uri string) uuid.UUID {
	t.Helper()
	at, ok := kuflowref.ParseDocumentURI(uri)
	require.True(t, ok, uri)
	return at.DocumentID
}

// withDocuments completes a fixture by documents, which as uploads.
func (f fixture) withDocuments(s *service, as demo.Account) fixture {
	s.t.Helper()
	f.action = s.invoke(as, f.process, invokeReport).ID
	f.document = s.upload(as, "/processes/"+f.process.String(), "of a process")
	f.artifactDocument = s.upload(as, "/business-artifacts/"+f.artifact.String(), "of an artifact")
	return f
}

// withLinkedDocuments completes a fixture by documents that values refer to.
func (f fixture) withLinkedDocuments(s *service, as demo.Account) fixture {
	s.t.Helper()
	process := processPath(f.process, "")
	f.taskDocument, f.processDocument = s.upload(as, process, "of the task"), s.upload(as, process, "of the process")
	s.call(200, as, http.MethodPut, itemPath(f.task, "/task/context-data"), `{"data":{"value":{"FILE":"`+f.taskDocument+`"}}}`)
	s.call(200, as, http.MethodPut, process+"/metadata", metadata(f.processDocument))
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

// documentOperations are the valid requests about documents.
func (f fixture) documentOperations() map[string]operation {
	process, artifact := "/processes/"+f.process.String(), "/business-artifacts/"+f.artifact.String()
	of := func(method, path, body string) operation {
		return operation{method: method, path: path, body: body, byID: true}
	}
	return map[string]operation{
		"B.uploadProcessDocument": of(http.MethodPost, uploadPath(process, "text/plain", "note.txt"), "text"),
		"B.uploadProcessUserActionDocument": of(http.MethodPost, strings.Replace(
			uploadPath(process, "text/plain", "note.txt"), "upload-document?", "upload-user-action-document?", 1)+
			"&userActionValueId="+f.action.String(), "text"),
		"B.downloadProcessDocument":          of(http.MethodGet, downloadPath(process, f.document), ""),
		"B.uploadBusinessArtifactDocument":   of(http.MethodPost, uploadPath(artifact, "text/plain", "note.txt"), "text"),
		"B.downloadBusinessArtifactDocument": of(http.MethodGet, downloadPath(artifact, f.artifactDocument), ""),
		"B.uploadDocument":                   {method: http.MethodPost, path: uploadFor("ku:process/"+f.process.String(), "text/plain", "note.txt"), body: "text"},
		"B.downloadDocument":                 {method: http.MethodGet, path: downloadAt(f.document)},
	}
}
