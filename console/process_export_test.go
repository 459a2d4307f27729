package console_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// readExport is a program that reads an export with another implementation of ZIP, CSV and JSON.
const readExport = `
import csv, hashlib, io, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    names = z.namelist()
    assert len(names) == len({n.lower() for n in names}) and names[-1] == "manifest.json"
    assert not [n for n in names if n.startswith("/") or ".." in n.split("/") or "\\" in n], names
    manifest = json.loads(z.read("manifest.json"))
    for d in manifest["documents"]:
        content = z.read(d["path"])
        assert len(content) == d["size"] and hashlib.sha256(content).hexdigest() == d["sha256"]
    table = list(csv.DictReader(io.StringIO(z.read("timeline.csv").decode())))
    timeline = json.loads(z.read("timeline.json"))
    assert [r["id"] for r in table] == [e["id"] for e in timeline] and len(timeline) == manifest["events"]
    for r, e in zip(table, timeline):
        assert all(r[k] == e.get(k, "") for k in ("type", "actorName", "state")), (r, e)
    print(json.dumps({"manifest": manifest, "process": json.loads(z.read("process.json")), "types": [e["type"] for e in timeline],
        "items": [json.loads(z.read(i["path"])) for i in manifest["items"]], "names": names}))
`

// An export is read back by another program and has the values that the operations of the REST API return.
func TestExportOfAProcess(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.t = t
	process := s.startLoan("../Loan to \"export\"")
	const data = `{"FIRST_NAME":"Zo\u00eb","LAST_NAME":"=1+1","AMOUNT":"7500.10"}`
	task := s.createTask(process, "APPROVE_LOAN", data)
	s.assignTask(task, demo.Bob())
	for _, content := range []string{"first", "second"} {
		_, err := s.app.UploadProcessDocument(t.Context(), s.callerOf(demo.Alice()), process, storage.File{
			Name: "../../Report.txt", ContentType: "text/plain", Body: strings.NewReader(content),
		})
		require.NoError(t, err)
	}
	alice := s.clientWithToken(demo.Alice().Secret)
	answer := s.sendRequest(alice, http.MethodGet, "processes/"+process.String()+"/export.zip", nil)
	require.Equal(t, http.StatusOK, answer.status, string(answer.body))
	require.Equal(t, "application/zip", answer.header.Get("Content-Type"))
	file := filepath.Join(t.TempDir(), "process.zip")
	require.NoError(t, os.WriteFile(file, answer.body, 0o600))
	out, err := exec.CommandContext(t.Context(), "python3", "-c", readExport, file).CombinedOutput()
	require.NoError(t, err, string(out))
	var read struct {
		Manifest struct {
			ProcessID      string
			EventsComplete bool
			Documents      []struct{ Path, Name string }
		}
		Process struct{ Subject, State, InitiatorID string }
		Types   []string
		Items   []struct {
			ID, State, OwnerID string
			Data               json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(out, &read))

	want, err := s.app.RetrieveProcess(t.Context(), s.callerOf(demo.Alice()), process)
	require.NoError(t, err)
	require.Equal(t, []string{process.String(), want.Subject, string(want.State), want.InitiatorID.String()},
		[]string{read.Manifest.ProcessID, read.Process.Subject, read.Process.State, read.Process.InitiatorID})
	require.Len(t, read.Items, 1)
	require.Equal(t, []string{task.String(), string(domain.TaskClaimed), demo.Bob().ID.String()},
		[]string{read.Items[0].ID, read.Items[0].State, read.Items[0].OwnerID})
	require.JSONEq(t, data, string(read.Items[0].Data))
	require.Equal(t, "PROCESS.CREATED", read.Types[0])
	require.True(t, read.Manifest.EventsComplete)
	require.Equal(t, []struct{ Path, Name string }{{"documents/0001-Report.txt", "Report.txt"}, {"documents/0002-Report.txt", "Report.txt"}},
		read.Manifest.Documents)
	require.Equal(t, "PROCESS.EXPORTED", sql[string](s, `SELECT string_agg(type, ',') FROM events WHERE process_id = $1 AND type = 'PROCESS.EXPORTED'`, process))
}
