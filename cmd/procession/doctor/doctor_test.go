package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDoctorsVerdict(t *testing.T) {
	t.Parallel()
	require.NoError(t, Failure([]Finding{warn("do", "it"), ok("fine"), skip("later")}))
	require.EqualError(t, Failure([]Finding{fail("do", "it"), ok("fine")}), "1 check of 2 fails")
	var out bytes.Buffer
	format := Format("text")
	require.NoError(t, format.Write(&out, []Finding{{Check: "clock", Verdict: Warn, Finding: "is off", Advice: "set it"}}))
	require.Equal(t, fmt.Sprintf("WARN     clock                 is off\n%31sset it\n", "-> "), out.String())
}

func TestDoctorConcealsPasswords(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://me:hunter2@db/procession", "postgres://db/procession?password=hunter2",
		"host=db password=hunter2 user=me", "host=db password='hunter2'",
	} {
		findings := []Finding{fail("do", "the password hunter2 of %s is wrong", url)}
		(&doctor{Options: Options{Secrets: []string{url}}}).redactFindings(findings)
		require.NotContains(t, findings[0].Finding, "hunter2", url)
		require.Contains(t, findings[0].Finding, redacted)
	}
}

func TestPDFsThatAreNotRead(t *testing.T) {
	t.Parallel()
	o := Options{Assisted: true, FindPDFToText: func() (string, error) { return "", errors.New("not found") }}
	found := (&doctor{Options: o}).checkFiles(t.Context())
	require.Equal(t, Warn, found.Verdict)
	require.NotEmpty(t, found.Advice)
	o.Assisted = false
	require.Equal(t, OK, (&doctor{Options: o}).checkFiles(t.Context()).Verdict, "there is nothing to be read")
}
