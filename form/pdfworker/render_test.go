package pdfworker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/test/kit/formtest"
)

func creationTime() time.Time { return time.Date(2026, 3, 2, 10, 4, 5, 0, time.UTC) }

// inspection returns a form with values of all kinds.
func inspection(tb testing.TB) pdfworker.Job {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "inspection.json"))
	require.NoError(tb, err)
	var file struct {
		Title, Subject          string
		Schema, UISchema, Value json.RawMessage
	}
	require.NoError(tb, json.Unmarshal(text, &file))
	return pdfworker.Job{
		Title: file.Title, Subject: file.Subject, Schema: file.Schema, UISchema: file.UISchema,
		Values: []json.RawMessage{file.Value}, Created: creationTime(),
	}
}

// valueJob returns a form without a schema.
func valueJob(tb testing.TB, value any) pdfworker.Job {
	tb.Helper()
	text, err := json.Marshal(value)
	require.NoError(tb, err)
	return pdfworker.Job{Title: "T", Values: []json.RawMessage{text}, Created: creationTime()}
}

func render(tb testing.TB, j pdfworker.Job, open pdf.OpenFunc) []byte {
	tb.Helper()
	made, err := formtest.RequirePool(tb).Render(tb.Context(), j, open)
	require.NoError(tb, err)
	require.True(tb, bytes.HasPrefix(made.Content, []byte("%PDF-")))
	return made.Content
}

// runPoppler runs a program of poppler-utils on a PDF.
func runPoppler(t *testing.T, content []byte, program string, arguments ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "form.pdf")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	for i, argument := range arguments {
		if argument == "PDF" {
			arguments[i] = path
		}
	}
	out, err := exec.CommandContext(t.Context(), program, arguments...).Output()
	require.NoError(t, err, "%s of poppler-utils", program)
	return string(out)
}

func textOf(t *testing.T, content []byte) string {
	t.Helper()
	return runPoppler(t, content, "pdftotext", "-layout", "-enc", "UTF-8", "PDF", "-")
}

// normalizeText composes a text (NFC) and removes white space and direction marks.
func normalizeText(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(" \n\f\t\u00a0\u200e\u200f\u061c", r), '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
			return -1
		}
		return r
	}, text))
}

func TestTextOfPDF(t *testing.T) {
	t.Parallel()
	text := textOf(t, render(t, inspection(t), openData(pngImage(t, 160, 120))))
	lines := map[string]bool{}
	for line := range strings.Lines(text) {
		lines[strings.Join(strings.Fields(line), " ")] = true
	}
	for _, want := range []string{
		"Vehicle inspection",
		"Inspection 2026/114 · Überprüfung · Έλεγχος · Проверка",
		"The inspection", "Inspector Bob Böhm", "Inspection team Reviewers",
		"Process 01970000-0000-7000-8000-00000000e003",
		"Inspected at 1 March 2026 at 14:05 GMT+2", "Next due 1 March 2027", "Start time 08:30:15", "Empty field —",
		"The vehicle", "As found on the day, before any repair.",
		"Mileage (km) 123,456.50", "Roadworthy Yes", "Fuel Electric", "Rating Good", "Colour green",
		"Tags • Urgent", "• Fleet",
		"Defects found", "Part Severity Since Remark", "Wiper Minor 31 January 2026", "Φώτα πορείας 3 Лампа не горит",
		"Visits", "1 of 2", "Place Depot", "From 1 January 2026",
		"The owner", "Family name Łukaszewicz-Παπαδόπουλος-Щербакова", "First name Zoë",
		"Street Ringstraße 5", "Postal code 00123", "Town Wien",
		"Photo front left.png (image/png, 2.0 kB)",
		"Report protocol.pdf (application/pdf, 1.2 MB)", "notes.txt (text/plain, 12 bytes)",
		"Remarks First line.",
		"Pin ••••••",
		"Other", "Owner › Shoe size 41", "Number {", `"a": 1e400,`,
		"2 March 2026 at 10:04 GMT Page 1 of 2", "2 March 2026 at 10:04 GMT Page 2 of 2",
	} {
		require.True(t, lines[want], "%q is not a line of\n%s", want, text)
	}
	require.NotContains(t, text, "4711")
	require.NotContains(t, text, "\ufffd")
	require.Equal(t, 1, strings.Count(text, "Brake pads"))
}

func TestRenderIsDeterministic(t *testing.T) {
	t.Parallel()
	open := openData(jpegImage(t, 300, 200))
	first, second := render(t, inspection(t), open), render(t, inspection(t), open)
	require.Equal(t, first, second)
}

func TestEmptyForms(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`null`, `{}`, `""`, `{"":{"":{"":[]}}}`, `[[]]`, `{"a":[{},{}]}`} {
		content := render(t, pdfworker.Job{Values: []json.RawMessage{[]byte(value)}, Created: creationTime()}, nil)
		require.Contains(t, textOf(t, content), "Page 1 of 1", value)
	}
}

// TestLongTextsContinueOnNextPage checks long texts and rows higher than a page, and that the head of a table is
// repeated.
func TestLongTextsContinueOnNextPage(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 200 {
		lines = append(lines, "line"+string(rune('0'+i/100))+string(rune('0'+i/10%10))+string(rune('0'+i%10))+".")
	}
	long := strings.Join(lines, "\n")
	text := textOf(t, render(t, valueJob(t, map[string]any{
		"story": long,
		"rows":  []any{map[string]any{"column": long, "other": "x"}, map[string]any{"column": "last"}},
	}), nil))
	for _, line := range lines {
		require.Equal(t, 2, strings.Count(text, line), line)
	}
	require.Greater(t, strings.Count(text, "Column"), 2)
	require.Contains(t, text, "last")
}

// TestWideTables checks that records which do not fit in a table follow one another.
func TestWideTables(t *testing.T) {
	t.Parallel()
	row := map[string]any{}
	for i := range 11 {
		row["column"+string(rune('a'+i))] = "unbreakable-" + strings.Repeat("w", 20) + string(rune('a'+i))
	}
	text := textOf(t, render(t, valueJob(t, map[string]any{"rows": []any{row, row}}), nil))
	require.Contains(t, text, "1 of 2")
	require.Contains(t, text, "2 of 2")
	require.Equal(t, 2, strings.Count(text, strings.Repeat("w", 20)+"k"))
}

// TestReader checks words, dates, numbers and zone for a profile, else for a header Accept-Language.
func TestReader(t *testing.T) {
	t.Parallel()
	schema := `{"properties":{"when":{"type":"string","format":"date-time"},"day":{"type":"string","format":"date"},
		"at":{"type":"string","format":"time"},"sum":{"type":"number"},"ok":{"type":"boolean"},"list":{"type":"array"}}}`
	value := `{"when":"2026-03-01T23:30:00Z","day":"2026-03-01","at":"08:30:15","sum":1234567.50,"ok":true,"list":[false,-12345.5]}`
	for _, test := range []struct {
		job   pdfworker.Job
		lang  string
		wants []string
	}{
		{pdfworker.Job{}, "en", []string{"1 March 2026 at 23:30 GMT", "1 March 2026", "08:30:15", "1,234,567.50", "Yes", "• No", "-12,345.5", "Page 1 of 1"}},
		{
			pdfworker.Job{Language: "de-AT, en;q=0.5"},
			"de",
			[]string{"1. März 2026 um 23:30 GMT", "1234567,50", "Ja", "• Nein", "Seite 1 von 1"},
		},
		{
			pdfworker.Job{Language: "de", Locale: "en-US", Zone: "America/New_York"},
			"en",
			[]string{"March 1, 2026 at 6:30", "1,234,567.50", "Yes", "8:30:15", "March 2, 2026 at 5:04", "GMT-5"},
		},
		{pdfworker.Job{Locale: "fr", Zone: "Asia/Kathmandu"}, "en", []string{"2 mars 2026 à 05:15 UTC+5:45", "1 mars 2026", "Yes"}},
		{pdfworker.Job{Locale: "##", Language: "!", Zone: "Nowhere/Land"}, "en", []string{"Page 1 of 1", "Yes"}},
	} {
		j := test.job
		j.Title, j.Schema, j.Values, j.Created = "T", json.RawMessage(schema), []json.RawMessage{json.RawMessage(value)}, creationTime()
		content := render(t, j, nil)
		text := normalizeText(textOf(t, content))
		for _, want := range test.wants {
			require.Contains(t, text, strings.ReplaceAll(normalizeText(want), "\u202f", ""), "%+v", test.job)
		}
		require.Contains(t, string(content), "/Lang("+test.lang+")")
	}
}

func TestRenderStops(t *testing.T) {
	t.Parallel()
	p := formtest.RequirePool(t)
	_, err := p.Render(t.Context(), pdfworker.Job{Values: []json.RawMessage{[]byte(`{"A":`)}}, nil)
	require.Error(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = p.Render(ctx, valueJob(t, map[string]any{}), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestSectionsArePrintedUnderTheirTitles(t *testing.T) {
	t.Parallel()
	facts := pdfworker.Section{
		Schema: json.RawMessage(`{"type":"object","properties":{"due":{"title":"Fällig","type":"string","format":"date-time"}}}`),
		Value:  json.RawMessage(`{"due":"2026-03-01T12:05:00Z"}`),
	}
	data := pdfworker.Section{Title: "The form", Value: json.RawMessage(`{"sum":12.5,"none":null}`)}
	job := pdfworker.Job{Title: "T", Locale: "de", Zone: "Europe/Berlin", Created: creationTime(), Sections: []pdfworker.Section{facts, data}}

	text := normalizeText(textOf(t, render(t, job, nil)))
	require.Contains(t, text, normalizeText("Fällig 1. März 2026 um 13:05 GMT+1"))
	require.Regexp(t, "Fällig.*Theform.*12,5", text)

	job.Values = []json.RawMessage{[]byte(`"the value"`)}
	require.Regexp(t, "Theform.*thevalue", normalizeText(textOf(t, render(t, job, nil))))
	job.Values, job.Sections = nil, nil
	_, err := formtest.RequirePool(t).Render(t.Context(), job, nil)
	require.ErrorIs(t, err, form.ErrNoForm)
}
