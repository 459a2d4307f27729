package console_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// attachDocument puts a file into the form of an application for a loan.
func (s *site) attachDocument(contentType, name, content string) (task uuid.UUID, reference string) {
	s.t.Helper()
	process := s.startLoan("Loan with " + contentType)
	task = s.createTask(process, "LOAN_APPLICATION", "")
	s.assignTask(task, demo.Carol())
	stored, err := s.app.UploadProcessDocument(s.t.Context(), s.callerOf(demo.Carol()), process, storage.File{
		Name: name, ContentType: contentType, Body: strings.NewReader(content),
	})
	require.NoError(s.t, err)
	data, err := json.Marshal(map[string]string{"ATTACHMENT": app.DocumentURI(stored)})
	require.NoError(s.t, err)
	item, err := s.app.UpdateProcessItemTaskData(s.t.Context(), s.callerOf(demo.Carol()), task, data)
	require.NoError(s.t, err)
	var kept map[string]string
	require.NoError(s.t, json.Unmarshal(item.Task.Data.Value, &kept))
	return task, kept["ATTACHMENT"]
}

// Files with active content are offered as downloads whatever their type; previews load no other files and run no
// scripts.
func TestPreviewsRunNoScripts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const attack = `<svg xmlns="http://www.w3.org/2000/svg" onload="parent.document.title='run'"><script>parent.document.title='run'</script></svg>` +
		`<script>top.document.title='run'</script><img src=x onerror="top.document.title='run'">`
	client := s.clientWithToken(demo.Carol().Secret)
	for contentType, shown := range map[string]string{
		"image/svg+xml": "", "text/html": "", "application/xhtml+xml": "", "text/xml": "", "application/octet-stream": "",
		"image/png": "image/png", "application/pdf": "application/pdf", "text/plain": "text/plain; charset=utf-8",
		"text/javascript": "text/plain; charset=utf-8", "text/plain; charset=utf-7": "text/plain; charset=utf-8",
	} {
		task, reference := s.attachDocument(contentType, "<b>attack.svg", attack)
		query := "?" + url.Values{"reference": {reference}}.Encode()
		page := s.sendRequest(client, http.MethodGet, "tasks/"+task.String(), nil)
		answer := s.sendRequest(client, http.MethodGet, "tasks/"+task.String()+"/preview"+query, nil)
		if shown == "" {
			require.Equal(t, http.StatusNotFound, answer.status, contentType)
			require.NotContains(t, string(page.body), "<iframe", contentType)
		} else {
			require.Equal(t, http.StatusOK, answer.status, contentType)
			require.Equal(t, shown, answer.header.Get("Content-Type"))
			require.Equal(t, "nosniff", answer.header.Get("X-Content-Type-Options"))
			policy := answer.header.Get("Content-Security-Policy")
			require.Contains(t, policy, "default-src 'none'")
			require.Contains(t, policy, "frame-ancestors 'self'")
			require.Equal(t, shown != "application/pdf", strings.HasSuffix(policy, "; sandbox"))
			require.Contains(t, string(page.body), "<iframe", contentType)
		}
		file := s.sendRequest(client, http.MethodGet, "tasks/"+task.String()+"/file"+query, nil)
		require.True(t, strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment"), contentType)
	}

	task, _ := s.attachDocument("text/plain", "attack.txt", attack)
	carol := s.signIn("Carol")
	carol.openPath("tasks/" + task.String())
	title := browsertest.Eval[string](carol.Tab, "document.title")
	shown := browsertest.Eval[string](carol.Tab, `new Promise((done) => {
		const frame = document.querySelector(".preview iframe");
		frame.addEventListener("load", () => done(frame.src), { once: true });
		frame.closest("details").open = true;
		frame.scrollIntoView();
	})`)
	require.Contains(t, shown, "/preview?")
	require.Equal(t, title, browsertest.Eval[string](carol.Tab, "document.title"))
	require.Empty(t, browsertest.Eval[string](carol.Tab, `document.querySelector(".preview iframe").getAttribute("sandbox")`))
	require.True(t, browsertest.Eval[bool](carol.Tab, `document.querySelector(".preview iframe").contentDocument === null`), "it is of no origin")
}

// redPNG returns a picture, redPDF a page, and both are red.
func redPNG(t *testing.T) string {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 200, 200))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(color.RGBA{R: 255, A: 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, picture))
	return file.String()
}

const redPDF = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R>> endobj
4 0 obj <</Length 27>> stream
1 0 0 rg 0 0 400 400 re f Q
endstream endobj
trailer <</Root 1 0 R>>
%%EOF
`

// Pictures and PDFs of a task are seen in its page.
func TestPreviewsShow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	carol := &person{browsertest.NewWithViewers(t), s}
	carol.enterCredentials("Carol")
	for name, file := range map[string]struct{ contentType, content string }{
		"red.png": {"image/png", redPNG(t)}, "red.pdf": {"application/pdf", redPDF},
	} {
		task, _ := s.attachDocument(file.contentType, name, file.content)
		to := filepath.Join(t.TempDir(), name+".png")
		if *screenshots != "" {
			to = filepath.Join(*screenshots, "preview-"+name+".png")
		}
		require.True(t, carol.seesRed(task, to), name)
	}
}

// seesRed reports whether the preview of the task's file is red in a picture of the page. The page is opened again when it
// is not for long: the browser starts its viewer of PDFs as a program of its own, which a busy machine can let down.
func (p *person) seesRed(task uuid.UUID, picture string) bool {
	const pages, pictures = 5, 60
	for range pages {
		p.openPath("tasks/" + task.String())
		p.Click(".preview summary")
		for range pictures {
			p.Screenshot(picture)
			if redPixels(p.s.t, picture) > 10_000 {
				return true
			}
		}
	}
	return false
}

func redPixels(t *testing.T, name string) (n int) {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	picture, err := png.Decode(file)
	require.NoError(t, err)
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if r, g, b, _ := picture.At(x, y).RGBA(); r > 0xf000 && g < 0x1000 && b < 0x1000 {
				n++
			}
		}
	}
	return n
}
