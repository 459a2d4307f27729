package availability

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// differences are the known differences between this package and the jq of Debian, with definitions that make jq
// behave in the same way.
var differences = []struct{ reason, definition string }{
	{"now is the time of the model", `def now: 1769853600.5;`},
	{"times have six digits of a second, also after todate", `def todate: (. * 1000000 | round) as $u | ($u / 1000000 | floor) as $s |
		($s | strftime("%Y-%m-%dT%H:%M:%S")) + "." + ("000000" + ($u - $s * 1000000 | tostring))[-6:] + "Z"; def todateiso8601: todate;`},
	{"fromdate reads fractions of a second", `def fromdate: if type != "string" then error("no time") else
		(.[0:19] + "Z" | strptime("%Y-%m-%dT%H:%M:%SZ") | mktime) + ("0" + .[19:-1] | tonumber) end; def fromdateiso8601: fromdate;`},
	{"strptime reads the times of the model without their fractions", `def jq_strptime(f): strptime(f);
		def strptime(f): if type == "string" and test("^.{19}[.][0-9]{6}Z$") then .[0:19] + "Z" else . end | jq_strptime(f);`},
	{"ltrimstr and rtrimstr of null fail", `def jq_ltrimstr(x): ltrimstr(x); def ltrimstr(x): if . == null then error("null") else jq_ltrimstr(x) end;
		def jq_rtrimstr(x): rtrimstr(x); def rtrimstr(x): if . == null then error("null") else jq_rtrimstr(x) end;`},
	{"has of null is false", `def jq_has(x): has(x); def has(x): if . == null then false else jq_has(x) end;`},
}

// newer are the functions that jq 1.6 does not have.
var newer = []string{"abs/0", "ltrim/0", "rtrim/0", "trim/0"}

const jqExpressions = 1000

// TestResultsEqualTheResultsOfJQ compares random expressions, among them every function of the table that jq 1.6
// has, with the results of the jq program.
func TestResultsEqualTheResultsOfJQ(t *testing.T) {
	t.Parallel()
	w := typist{rand.New(rand.NewPCG(3, 4))}
	accepted := w.everyTemplate()
	for attempts := 0; len(accepted) < jqExpressions; attempts++ {
		require.Less(t, attempts, 2*jqExpressions, "more expressions are refused than accepted")
		if expression := ". as $root | " + w.write("bool", 1+w.IntN(4)); parses(expression) {
			accepted = append(accepted, expression)
		}
	}
	requireEveryFunction(t, accepted)
	var results []any
	for some := range slices.Chunk(accepted, 200) { // jq limits the size of a program
		results = append(results, runJQ(t, some)...)
	}
	require.Len(t, results, len(accepted))
	for _, outcome := range []any{true, false, "failed"} {
		require.Contains(t, results, outcome)
	}
	for i, expression := range accepted {
		parsed, err := Parse("${" + expression + "}")
		require.NoError(t, err, expression)
		var result any
		if result, err = parsed.Evaluate(t.Context(), sample()); err != nil {
			result = "failed"
		}
		require.Equal(t, results[i], result, "%s: %v", expression, err)
	}
}

func parses(expression string) bool {
	_, err := Parse("${" + expression + "}")
	return err == nil
}

// requireEveryFunction requires that the expressions call all functions that jq has.
func requireEveryFunction(t *testing.T, expressions []string) {
	t.Helper()
	all := strings.Join(expressions, "\n")
	for _, signature := range functionSignatures() {
		name, arguments, _ := strings.Cut(signature, "/")
		call := regexp.MustCompile(`\b` + name + `\b[^(]`)
		if arguments != "0" {
			call = regexp.MustCompile(`\b` + name + `\(`)
		}
		require.Equal(t, !slices.Contains(newer, signature), call.MatchString(all), signature)
	}
}

// runJQ returns the results of the jq program: a boolean for every expression, or "failed".
func runJQ(t *testing.T, expressions []string) []any {
	t.Helper()
	program, err := exec.LookPath("jq")
	require.NoError(t, err, "jq is not here: scripts/bootstrap --tests installs it")
	var text strings.Builder
	for _, difference := range differences {
		text.WriteString(difference.definition + "\n")
	}
	for i, expression := range expressions {
		if i > 0 {
			text.WriteString(",\n")
		}
		text.WriteString("(try (" + expression + ") catch \"failed\")")
	}
	model, err := json.Marshal((&needs{every: true}).modelInput(sample()))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "expressions.jq")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	cmd := exec.CommandContext(t.Context(), program, "-c", "-f", file)
	cmd.Stdin = bytes.NewReader(model)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	output, err := cmd.Output()
	require.NoError(t, err, problems.String())
	var results []any
	decoder := json.NewDecoder(bytes.NewReader(output))
	for decoder.More() {
		var result any
		require.NoError(t, decoder.Decode(&result))
		results = append(results, result)
	}
	return results
}
