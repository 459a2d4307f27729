package manifest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/examples/demo"
	"github.com/procession-dev/procession/internal/manifest"
)

func demoDocuments(t *testing.T) []resource.Document {
	t.Helper()
	sources, err := manifest.ReadFS(demo.Files)
	require.NoError(t, err)
	documents, violations := decode(sources)
	require.Empty(t, violations)
	return documents
}

func decode(sources []manifest.Source) ([]resource.Document, []resource.Violation) {
	texts := make([]json.RawMessage, len(sources))
	for i := range sources {
		texts[i] = sources[i].JSON
	}
	return resource.Decode(texts)
}

func TestDemoIsValid(t *testing.T) {
	t.Parallel()
	documents := demoDocuments(t)
	require.Empty(t, resource.MissingReferences(documents, func(resource.Key) resource.Presence { return resource.Absent }))
	ids := map[string]string{}
	for i := range documents {
		key := documents[i].Key()
		ids[key.Tenant+"/"+string(key.Kind)+"/"+key.Code] = documents[i].Metadata.ID.String()
	}
	const id = "01970000-0000-7000-8000-00000000"
	require.Equal(t, map[string]string{
		"demo/Tenant/demo":                         id + "00a1",
		"demo/User/alice":                          id + "c001",
		"demo/User/bob":                            id + "c002",
		"demo/User/carol":                          id + "c003",
		"demo/Application/loan-worker":             id + "a001",
		"demo/Application/reader":                  id + "a002",
		"demo/Application/stranger":                id + "a003",
		"demo/Group/REVIEWERS":                     id + "d001",
		"demo/EncryptionKey/demo-key":              id + "6001",
		"demo/ProcessDefinition/LOAN":              id + "e001",
		"demo/ProcessDefinition/ONBOARDING":        id + "e002",
		"demo/ProcessDefinition/INSPECTION":        id + "e003",
		"demo/ProcessDefinition/EXPENSES":          id + "e004",
		"demo/BusinessArtifactDefinition/CUSTOMER": id + "f001",
		"demo/Robot/KYC_BOT":                       id + "9001",
		"other/Tenant/other":                       id + "00b1",
		"other/Application/other-worker":           id + "b001",
		"other/ProcessDefinition/LOAN":             id + "e0b1",
	}, ids)
}

func TestDemoSecretsArePublished(t *testing.T) {
	t.Parallel()
	hash := func(secret string) string {
		sum := sha256.Sum256([]byte(secret))
		return hex.EncodeToString(sum[:])
	}
	accounts := 0
	for _, document := range demoDocuments(t) {
		code := document.Metadata.Code
		switch spec := document.Spec.(type) {
		case *resource.ApplicationSpec:
			require.Len(t, spec.Secrets, 1)
			require.Equal(t, hash("demo-"+code+"-secret"), spec.Secrets[0].SHA256, code)
			accounts++
		case *resource.UserSpec:
			require.Len(t, spec.AccessTokens, 1)
			require.Equal(t, hash("demo-token-"+code), spec.AccessTokens[0].SHA256, code)
			accounts++
		}
	}
	require.Equal(t, 7, accounts)
}

func TestDemoRoundTrips(t *testing.T) {
	t.Parallel()
	for _, document := range demoDocuments(t) {
		text, err := json.Marshal(document)
		require.NoError(t, err)
		formatted, err := manifest.Format(text)
		require.NoError(t, err)
		sources, err := manifest.Parse("export.yaml", formatted)
		require.NoError(t, err, "%s", formatted)
		again, violations := decode(sources)
		require.Empty(t, violations, "%s", formatted)
		document.Place = 0
		require.Equal(t, []resource.Document{document}, again)
	}
}

// TestLoanAmounts checks that the schema accepts the amounts that the workflow of LOAN reads.
func TestLoanAmounts(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, document := range demoDocuments(t) {
		spec, ok := document.Spec.(*resource.ProcessDefinitionSpec)
		if !ok || document.Metadata.Code != "LOAN" {
			continue
		}
		for _, item := range spec.Items {
			if item.Code != "LOAN_APPLICATION" && item.Code != "APPROVE_LOAN" {
				continue
			}
			schema, err := jsondoc.Compile(item.DataSchema)
			require.NoError(t, err)
			for amount, valid := range map[string]bool{
				`5000`: true, `"5000"`: true, `"5000.01"`: true, `0.5`: true,
				`"lots"`: false, `""`: false, `-1`: false, `"1e999999999"`: false, `true`: false,
			} {
				found, err := schema.Validate(json.RawMessage(`{"AMOUNT":` + amount + `}`))
				require.NoError(t, err)
				invalid := slices.ContainsFunc(found.Errors, func(e domain.ValueError) bool { return e.PropertyPath == "/AMOUNT" })
				require.Equal(t, valid, !invalid, amount)
				checked++
			}
		}
	}
	require.Equal(t, 36, checked)
}

// Every definition has all its texts in German.
func TestDemoIsTranslated(t *testing.T) {
	t.Parallel()
	translated := 0
	for _, d := range demoDocuments(t) {
		parts := d.Translatables()
		if parts == nil {
			continue
		}
		translated++
		require.Equal(t, "en", parts[0].Default(), d.Metadata.Code)
		require.Empty(t, resource.UnknownKeys(parts), d.Metadata.Code)
		for _, part := range parts {
			for _, m := range part.Messages {
				require.NotEmpty(t, part.Translation("de", m.Key), "%s %s", d.Metadata.Code, m.Key)
			}
		}
		coverage := resource.CoverageOf(parts)
		require.Len(t, coverage, 1)
		require.Equal(t, 100, coverage[0].Percent())
	}
	require.Equal(t, 6, translated)
}
