package notice_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/notice"
)

func TestCompose(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	m := notice.Compose(notice.Group{
		Tenant: "North", Zone: berlin, BaseURL: "https://procession.example.com", Problem: domain.ProblemIncident, Opened: 6, Recovered: 1,
		Listed: []notice.Problem{
			{Subject: "LOAN", Text: "AMOUNT\nmust be a number", At: at}, {Subject: "LOAN", Text: strings.Repeat("x", 500), At: at, Recovered: true},
		},
	})
	require.Equal(t, "North: 6 incidents opened, 1 incident resolved", m.Title)
	lines := strings.Split(m.MailText(), "\n")
	require.Equal(t, "- 2026-03-02 11:00 opened: LOAN: AMOUNT must be a number", lines[0])
	require.Len(t, []rune(lines[1]), len("- 2026-03-02 11:00 resolved: LOAN: ")+200)
	require.Equal(t, []string{"… and 5 more", "", "https://procession.example.com/console/incidents", ""}, lines[2:])
	for _, problem := range domain.ProblemNames() {
		require.NotEmpty(t, notice.Compose(notice.Group{Problem: problem, Opened: 1, Zone: berlin}).Title)
	}
}

// The HTML part of a mail escapes all texts, and loads nothing.
func TestMailHTML(t *testing.T) {
	t.Parallel()
	hostile := `"><script src="https://evil.example/x"></script><img src=x onerror=alert(1)>&amp;`
	m := notice.Message{Title: hostile, Text: "- opened: LOAN\n" + hostile, Link: "https://procession.example.com/console/incidents?a=1&b=2"}
	page, err := m.MailHTML()
	require.NoError(t, err)
	for _, part := range []string{"<script", "<img", "src=\"", "url(", "<link", "@import"} {
		require.NotContains(t, page, part)
	}
	require.Equal(t, 3, strings.Count(page, "&lt;script"))
	require.Contains(t, page, "- opened: LOAN</p>")
	require.Contains(t, page, `<a href="https://procession.example.com/console/incidents?a=1&amp;b=2">`)
	m.Link = "javascript:alert(1)"
	page, err = m.MailHTML()
	require.NoError(t, err)
	require.NotContains(t, page, `href="javascript:`)
	m.Link = ""
	page, err = m.MailHTML()
	require.NoError(t, err)
	require.NotContains(t, page, "<a ")
}

// No text of a problem leaves its string or mentions people, whatever it contains.
func TestRenderChat(t *testing.T) {
	t.Parallel()
	m := notice.Message{Title: `"} <!channel> @all`, Text: "a\n\\u0000{{link}}", Link: "https://procession.example.com", Count: 2}
	for _, preset := range []string{notice.Slack, notice.Teams, notice.Mattermost} {
		body, err := notice.RenderChat(preset, nil, m)
		require.NoError(t, err)
		require.True(t, json.Valid(body))
		require.NotContains(t, string(body), "<!channel>")
		require.Equal(t, preset == notice.Slack, strings.Contains(string(body), "@all"))
		require.Contains(t, string(body), "https://procession.example.com")
	}
	body, err := notice.RenderChat("", json.RawMessage(`{"n":1.50,"list":["{{ count }}",null,true,{"t":"{{title}}"}]}`), m)
	require.NoError(t, err)
	require.JSONEq(t, `{"n":1.50,"list":["2",null,true,{"t":"\"} <!channel> @all"}]}`, string(body))
}

func TestCheckTemplate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"text":"{{title}}"}`:                  "",
		`{"a":["{{ text }}"]}`:                  "",
		`{"text":"{{secret}} {{text}}"}`:        "unknown placeholder {{secret}}",
		`{"text":"hello"}`:                      "must contain {{title}} or {{text}}",
		`{"text":"{{title}}"`:                   "must be JSON",
		`"` + strings.Repeat("x", 10_000) + `"`: "must have at most",
	} {
		err := notice.CheckTemplate(json.RawMessage(text))
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
}

func TestQuietHours(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	night, noon := notice.QuietHours{From: "22:00", To: "06:00"}, notice.QuietHours{From: "12:00", To: "13:30"}
	for text, want := range map[string][2]string{
		"2026-03-02T11:59": {"", ""}, "2026-03-02T12:00": {"", "2026-03-02T13:30"}, "2026-03-02T13:29": {"", "2026-03-02T13:30"},
		"2026-03-02T13:30": {"", ""}, "2026-03-02T21:59": {"", ""}, "2026-03-02T22:00": {"2026-03-03T06:00", ""},
		"2026-03-02T05:59": {"2026-03-02T06:00", ""}, "2026-03-02T06:00": {"", ""}, "2026-12-31T23:00": {"2027-01-01T06:00", ""},
		"2026-03-28T23:00": {"2026-03-29T06:00", ""}, // the clocks change in this night
	} {
		now, err := time.ParseInLocation("2006-01-02T15:04", text, berlin)
		require.NoError(t, err)
		for i, q := range []notice.QuietHours{night, noon} {
			got := ""
			if end := q.End(now.UTC(), berlin); !end.IsZero() {
				got = end.In(berlin).Format("2006-01-02T15:04")
			}
			require.Equal(t, want[i], got, "%s %v", text, q)
		}
	}
	require.Error(t, notice.QuietHours{From: "22:00", To: "22:00"}.Check())
	require.Error(t, notice.QuietHours{From: "24:00", To: "06:00"}.Check())
}
