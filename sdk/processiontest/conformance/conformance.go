// Package conformance describes the behavior of the service for workers in scripts of requests and responses. The same
// scripts run on the service of processiontest and on the real one, so that a worker tested with the former works with the
// latter.
//
// A script has a line for each request: the sender, the method, the path and the body. The next line is the response:
// after "=" it must match at once, after "~" the request is repeated until it matches. Names in braces are ids. The
// script chooses them, or NAME= before a request takes the id in the response, or the first id of a list. Only members
// that workers use are compared.
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

// matchTimeout bounds the wait for a matching response after "~".
const matchTimeout = 45 * time.Second

// Service is a service that scripts run on.
type Service struct {
	// URL is its endpoint, and Client calls it.
	URL    string
	Client *http.Client
	// Authorization is the header of each caller: of worker, the application of workers; of alice, who manages processes;
	// and of bob, who works on tasks.
	Authorization map[string]string
	// Names contains the ids of the callers by name.
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
		// In order: parallel ones would wait behind other tests, and keep the service and its workers running.
		t.Run(strings.TrimSuffix(entry.Name(), ".txt"), func(t *testing.T) {
			text, err := scripts.ReadFile(path.Join(folder, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			r := &run{t: t, service: s, ids: map[string]uuid.UUID{}}
			r.setName("definition", uuid.MustParse("01970000-0000-7000-8000-0000000cf001"))
			for name, id := range s.Names {
				r.setName(name, id)
			}
			got := r.runScript(string(text))
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

func (r *run) setName(setName string, id uuid.UUID) {
	r.ids[setName] = id
	r.named = append(r.named, id.String(), "{"+setName+"}")
}

var placeholder = regexp.MustCompile(`\{[a-z][a-z0-9]*\}`)

// replaceNames puts ids in the place of names; a new name gets a new id.
func (r *run) replaceNames(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		name := strings.Trim(match, "{}")
		if _, ok := r.ids[name]; !ok {
			r.setName(name, uuid.New())
		}
		return r.ids[name].String()
	})
}

// runScript runs a script and returns it with the answers that were got.
func (r *run) runScript(script string) string {
	lines := strings.Split(script, "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			continue
		}
		expected := ""
		if i+1 < len(lines) && (strings.HasPrefix(lines[i+1], "= ") || strings.HasPrefix(lines[i+1], "~ ")) {
			expected = lines[i+1]
		}
		got := "= " + r.sendRequest(lines[i])
		if strings.HasPrefix(expected, "~ ") {
			for end := time.Now().Add(matchTimeout); got[2:] != expected[2:] && time.Now().Before(end); got = "~ " + r.sendRequest(lines[i]) { //nolint:forbidigo // a bound that only a hang exceeds
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

// sendRequest sends the request of a line and returns its answer as scripts have it.
func (r *run) sendRequest(line string) string {
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
		body = r.replaceNames(words[3])
	}
	switch {
	case strings.HasPrefix(body, `"`):
		content, body = "application/octet-stream", strings.Trim(body, `"`)
	case words[1] == http.MethodPatch:
		content = "application/json-patch+json"
	}
	request, err := http.NewRequestWithContext(r.t.Context(), words[1], r.service.URL+"/v2024-06-14"+r.replaceNames(words[2]), strings.NewReader(body))
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
			r.setName(named, about.ID)
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", answer.StatusCode, r.comparedPart(text)))
}

var (
	anyID  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyURI = regexp.MustCompile(`"(kuflow-file:)?uri?=?ku:[^"]*"`)
)

// comparedPart returns the compared part of a response.
func (r *run) comparedPart(text []byte) string {
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
	if err := encoder.Encode(comparedMembers(value)); err != nil {
		r.t.Fatal(err)
	}
	named := strings.NewReplacer(r.named...).Replace(strings.TrimSpace(out.String()))
	return anyURI.ReplaceAllString(anyID.ReplaceAllString(named, "{?}"), `"{uri}"`)
}

// isCompared reports whether a member of an answer is one that workers use.
func isCompared(member string) bool {
	return slices.Contains([]string{
		"id", "type", "state", "status", "processId", "initiatorId", "ownerId", "metadata", "entity", "task", "message", "data",
		"contextData", "logs", "level", "text", "value", "valid", "processItemDefinitionRef", "code", "content", "totalElements",
		"documentUri", "errors", "location", "downloadable", "input", "processRelated", "incoming", "outcoming",
		"processItemThreadId", "page", "properties", "errorCode", "errorMessage",
	}, member)
}

// comparedMembers returns a value without the members that workers do not use; values of people stay whole.
func comparedMembers(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = comparedMembers(v[i])
		}
	case map[string]any:
		_, hasCode := v["code"]
		_, failed := v["errors"].([]any)
		for name, member := range v {
			switch {
			// Of a refusal the code and the place count, of a definition its code.
			case !isCompared(name), failed && name == "message", hasCode && (name == "message" || name == "id"):
				delete(v, name)
			case name != "value" && name != "properties":
				v[name] = comparedMembers(member)
			}
		}
	}
	return value
}
