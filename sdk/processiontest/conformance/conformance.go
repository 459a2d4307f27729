// Package conformance is what a service does for workers, as scripts of requests and their answers. The same scripts run
// on the service in memory, which processiontest has, and on the real one, so that a worker that is tested with the first
// works with the second.
//
// A script has a line for each request, of who sends it, the method, the path and the body. The line after it is the
// answer: "=" when it has to be this at once, "~" when the request is repeated until it is. Names in braces are ids, which
// the script chooses, or, after NAME= before the request, that of what the answer is about, or of the first
// in its list. Of an answer only those
// members are compared that workers use.
package conformance

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Definitions are the documents that an administrator applies before the scripts run on a real service.
//
//go:embed definitions.yaml
var Definitions embed.FS

//go:embed scripts
var scripts embed.FS

// patience bounds the wait for an answer that is awaited.
const patience = 45 * time.Second

// Service is a service that scripts run on.
type Service struct {
	// URL is its endpoint, and Client calls it.
	URL    string
	Client *http.Client
	// Authorization is the header of each caller: of worker, the application of workers; of alice, who manages processes;
	// and of bob, who works on tasks.
	Authorization map[string]string
	// Names are ids that scripts name: those of the callers.
	Names map[string]uuid.UUID
	// Update, when set, is the folder of the scripts, into which Run writes the answers of the service.
	Update string
}

// Run runs the scripts of a folder: "requests", which need no workflows, or "workflows", for which Register has been
// called.
func Run(t *testing.T, folder string, s Service) {
	t.Helper()
	folder = path.Join("scripts", folder)
	entries, err := fs.ReadDir(scripts, folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Run(strings.TrimSuffix(entry.Name(), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := scripts.ReadFile(path.Join(folder, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			r := &run{t: t, service: s, ids: map[string]uuid.UUID{}}
			r.name("definition", uuid.MustParse("01970000-0000-7000-8000-0000000cf001"))
			for name, id := range s.Names {
				r.name(name, id)
			}
			got := r.play(string(text))
			if s.Update != "" && got != string(text) {
				if err := os.WriteFile(path.Join(s.Update, path.Base(folder), entry.Name()), []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// run is one run of a script.
type run struct {
	t       *testing.T
	service Service
	ids     map[string]uuid.UUID
	named   []string // pairs of an id and its name, for strings.NewReplacer
}

func (r *run) name(name string, id uuid.UUID) {
	r.ids[name] = id
	r.named = append(r.named, id.String(), "{"+name+"}")
}

var placeholder = regexp.MustCompile(`\{[a-z][a-z0-9]*\}`)

// filled puts ids in the place of names; a new name gets a new id.
func (r *run) filled(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		name := strings.Trim(match, "{}")
		if _, ok := r.ids[name]; !ok {
			r.name(name, uuid.New())
		}
		return r.ids[name].String()
	})
}

// play runs a script and returns it with the answers that were got.
func (r *run) play(script string) string {
	lines := strings.Split(script, "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			continue
		}
		expected := ""
		if i+1 < len(lines) && (strings.HasPrefix(lines[i+1], "= ") || strings.HasPrefix(lines[i+1], "~ ")) {
			expected = lines[i+1]
		}
		got := "= " + r.send(lines[i])
		if strings.HasPrefix(expected, "~ ") {
			for end := time.Now().Add(patience); got[2:] != expected[2:] && time.Now().Before(end); got = "~ " + r.send(lines[i]) { //nolint:forbidigo // a bound that only a hang exceeds
				time.Sleep(10 * time.Millisecond) //nolint:forbidigo // between two looks at what is awaited
			}
			got = "~ " + got[2:]
		}
		switch {
		case got == expected:
			i++
		case r.service.Update != "" && expected == "":
			lines = append(lines[:i+1], append([]string{got}, lines[i+1:]...)...)
			i++
		case r.service.Update != "":
			i++
			lines[i] = got
		default:
			r.t.Fatalf("line %d: %s\nanswers  %s\nnot      %s", i+1, lines[i], got, cmp.Or(expected, "(no answer in the script)"))
		}
	}
	return strings.Join(lines, "\n")
}

// send sends the request of a line and returns its answer as scripts have it.
func (r *run) send(line string) string {
	r.t.Helper()
	named := ""
	if before, after, found := strings.Cut(line, "="); found && !strings.Contains(before, " ") {
		named, line = before, after
	}
	words := strings.SplitN(line, " ", 4)
	if len(words) < 3 {
		r.t.Fatalf("no request: %s", line)
	}
	content, body := "application/json", ""
	if len(words) == 4 {
		body = r.filled(words[3])
	}
	switch {
	case strings.HasPrefix(body, `"`):
		content, body = "application/octet-stream", strings.Trim(body, `"`)
	case words[1] == http.MethodPatch:
		content = "application/json-patch+json"
	}
	request, err := http.NewRequestWithContext(r.t.Context(), words[1], r.service.URL+"/v2024-06-14"+r.filled(words[2]), strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", r.service.Authorization[words[0]])
	if body != "" {
		request.Header.Set("Content-Type", content)
	}
	answer, err := r.service.Client.Do(request)
	if err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if named != "" {
		var about struct {
			ID      uuid.UUID
			Content []struct{ ID uuid.UUID }
		}
		if err := json.Unmarshal(text, &about); err != nil {
			r.t.Fatal(err)
		}
		if len(about.Content) > 0 {
			about.ID = about.Content[0].ID
		}
		if _, known := r.ids[named]; !known && about.ID != uuid.Nil {
			r.name(named, about.ID)
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", answer.StatusCode, r.seen(text)))
}

var (
	anyID  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyURI = regexp.MustCompile(`"(kuflow-file:)?uri?=?ku:[^"]*"`)
)

// seen returns what scripts have of an answer.
func (r *run) seen(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return fmt.Sprintf("%.40q", text)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(kept(value)); err != nil {
		r.t.Fatal(err)
	}
	named := strings.NewReplacer(r.named...).Replace(strings.TrimSpace(out.String()))
	return anyURI.ReplaceAllString(anyID.ReplaceAllString(named, "{?}"), `"{uri}"`)
}

// used reports whether a member of an answer is one that workers use.
func used(member string) bool {
	return slices.Contains([]string{
		"id", "type", "state", "status", "processId", "initiatorId", "ownerId", "metadata", "entity", "task", "message", "data",
		"contextData", "logs", "level", "text", "value", "valid", "processItemDefinitionRef", "code", "content", "totalElements",
		"documentUri", "errors", "location", "downloadable", "input", "processRelated", "incoming", "outcoming",
		"processItemThreadId", "page", "properties", "errorCode", "errorMessage",
	}, member)
}

// kept returns a value without the members that workers do not use; values of people stay whole.
func kept(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = kept(v[i])
		}
	case map[string]any:
		_, hasCode := v["code"]
		_, failed := v["errors"].([]any)
		for name, member := range v {
			switch {
			// Of a refusal the code and the place count, of a definition its code.
			case !used(name), failed && name == "message", hasCode && (name == "message" || name == "id"):
				delete(v, name)
			case name != "value" && name != "properties":
				v[name] = kept(member)
			}
		}
	}
	return value
}
