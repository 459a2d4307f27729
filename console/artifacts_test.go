package console_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

func TestArtifacts(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	alice := s.signIn("Alice")
	alice.openPath("artifacts")
	alice.AwaitText("There are no artifacts yet.")
	for _, data := range []string{
		`{"name":"Ada Works","tier":"GOLD","balance":1500.50,"since":"2024-02-01"}`,
		`{"name":"Bee Yard","tier":"SILVER","balance":20,"since":"2025-06-30"}`,
		`{"name":"Cedar Mill","tier":"SILVER","balance":-7,"since":"2026-01-15"}`,
	} {
		s.createArtifact(demo.Alice(), customerDefinition(), data)
	}
	strange, err := json.Marshal(map[string]string{"name": hostile, "tier": "GOLD"})
	require.NoError(t, err)
	s.createArtifact(demo.Alice(), customerDefinition(), string(strange))
	definition := "definition=" + customerDefinition().String()
	for query, found := range map[string]string{
		"":                             "4 in all",
		"q=yard":                       "1 in all",
		definition + "&is.tier=SILVER": "2 in all",
		definition + "&from.balance=0&to.balance=100": "1 in all",
		definition + "&from.since=2025-01-01":         "2 in all",
		definition + "&has.name=MILL&page=9":          "1 in all",
		definition + "&has.name=nothing":              "No artifact matches.",
		definition + "&from.balance=many":             "1 in all",
	} {
		alice.openPath("artifacts?" + query)
		if strings.HasSuffix(query, "many") {
			require.Equal(t, 1, alice.Count(".alert-danger"), "a number is asked for")
			continue
		}
		alice.AwaitText(found)
	}
	alice.openPath("artifacts?" + definition)
	alice.AwaitText(hostile)
	table := alice.fetchText("artifacts.csv?" + definition + "&is.tier=GOLD&sort=oldest")
	require.Contains(t, table, ",name,tier,balance,since\r\n")
	require.Contains(t, table, "Ada Works,GOLD,1500.50,2024-02-01\r\n")
	require.Contains(t, table, `,"'=<img src=x onerror`, "a value is not a formula")
	alice.requireFit()

	carol := s.signIn("Carol")
	carol.openPath("artifacts")
	carol.AwaitText("There are no types of artifacts.")
	carol.requireFit()
}

func TestArtifact(t *testing.T) { //nolint:funlen // one story in a browser
	t.Parallel()
	s := newSite(t)
	strange, err := json.Marshal(map[string]string{"name": hostile, "tier": "GOLD"})
	require.NoError(t, err)
	id := s.createArtifact(demo.Alice(), customerDefinition(), string(strange))
	_, err = s.app.UploadBusinessArtifactDocument(t.Context(), s.callerOf(demo.Alice()), id, storage.File{
		Name: hostile + ".txt", ContentType: "text/plain", Body: strings.NewReader(hostile),
	})
	require.NoError(t, err)
	alice := s.signIn("Alice")

	alice.openPath("artifacts/" + id.String())
	alice.AwaitText(hostile)
	alice.Type("[name='v/notes']", "Call in May")
	alice.AwaitText("Saved")
	alice.Await(`document.querySelector(".form-status")?.innerText.includes("Saved")`)
	saved, err := s.app.RetrieveBusinessArtifact(t.Context(), s.callerOf(demo.Alice()), id)
	require.NoError(t, err)
	require.Contains(t, string(saved.Data.Value), "Call in May")

	alice.Click("details.actions-menu > summary")
	alice.Click("[href$='act/STATEMENT']")
	alice.Type("[name='v/month']", "2026-05")
	alice.requireFit()
	alice.Size(1280, 800)
	alice.Click("[data-complete]")
	alice.AwaitText("The file is being created")
	runs, err := s.app.FindArtifactActions(t.Context(), s.callerOf(demo.Alice()), id, domain.PageRequest{Size: 5})
	require.NoError(t, err)
	require.Len(t, runs.Items, 1)
	require.JSONEq(t, `{"month":"2026-05"}`, string(runs.Items[0].Input.Value))
	alice.Click("form[action$='/cancel'] button")
	alice.AwaitText("Cancelled")

	for tab, texts := range map[string][]string{
		"": {"Customer", "created by Alice"}, "/documents": {"txt", "by Alice"},
		"/timeline": {"Alice created the artifact", "Alice changed the data", "Alice used the action “Statement”", "Alice uploaded a document"},
		"/runs":     {"Statement", "Cancelled"},
	} {
		alice.Size(1280, 800)
		alice.openPath("artifacts/" + id.String() + tab)
		for _, text := range texts {
			alice.AwaitText(text)
		}
		alice.requireFit()
	}
	alice.Size(1280, 800)
	alice.openPath("artifacts/" + id.String() + "/act/CLONE")
	require.Equal(t, 1, alice.Count("[name='v/name']"))
	alice.Click("[data-complete]")
	alice.Await(`!location.pathname.includes("` + id.String() + `")`)
	alice.AwaitText("created by Alice")

	alice.openPath("artifacts/new/" + customerDefinition().String())
	alice.Type("[name='v/name']", "Made by hand")
	alice.requireFit()
	alice.Click("[data-complete]")
	alice.AwaitText("created by Alice")
	require.Contains(t, alice.Text("h1"), "Made by hand")
	board, err := s.app.FindArtifactBoard(t.Context(), s.callerOf(demo.Alice()), app.BusinessArtifactFilter{Search: "made by HAND"},
		domain.PageRequest{Size: 5}, nil)
	require.NoError(t, err)
	require.EqualValues(t, 1, board.Total)
}
