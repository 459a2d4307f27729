package corpus_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// suiteExceptions are the cases of the JSON-Schema-Test-Suite with another result here, with the reason.
var suiteExceptions = map[string]string{
	`ecmascript-regex.json: \a is not an ECMA 262 control escape: when used as a pattern`: "the schemas of the drafts accept patterns of RE2",
}

// drafts are the drafts by the folders of the suite.
var drafts = map[string]string{
	"draft4": "http://json-schema.org/draft-04/schema#", "draft6": "http://json-schema.org/draft-06/schema#",
	"draft7": "http://json-schema.org/draft-07/schema#", "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
	"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}

func TestFormatsOfTheSuite(t *testing.T) {
	t.Parallel()
	root := folder(t, "jsonschema-4.25.1.tar.gz.d")
	cases := 0
	for draft, address := range drafts {
		for _, glob := range []string{"optional/format/*.json", "optional/ecmascript-regex.json", "pattern.json", "patternProperties.json"} {
			files, err := filepath.Glob(filepath.Join(root, "*", "json", "tests", draft, filepath.FromSlash(glob)))
			require.NoError(t, err)
			for _, file := range files {
				cases += runSuiteFile(t, file, address)
			}
		}
	}
	t.Logf("%d cases", cases)
	require.Greater(t, cases, 2000)
}

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// runSuiteFile runs the cases of a file and returns their number.
func runSuiteFile(t *testing.T, file, draft string) (cases int) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var groups []suiteGroup
	require.NoError(t, json.Unmarshal(data, &groups))
	for _, group := range groups {
		source := group.Schema
		if text := strings.TrimSpace(string(source)); strings.HasPrefix(text, "{") && text != "{}" && !strings.Contains(text, `"$schema"`) {
			source = json.RawMessage(`{"$schema":"` + draft + `",` + text[1:])
		}
		schema, err := jsondoc.Compile(source)
		if err != nil {
			t.Errorf("%s: %s: %v", filepath.Base(file), group.Description, err)
			continue
		}
		for _, test := range group.Tests {
			cases++
			name := filepath.Base(file) + ": " + group.Description + ": " + test.Description
			if _, excepted := suiteExceptions[name]; excepted {
				continue
			}
			result, err := schema.Validate(test.Data)
			if err != nil || result.Valid != test.Valid {
				t.Errorf("%s: %s: want %t, %v", name, test.Data, test.Valid, err)
			}
		}
	}
	return cases
}
