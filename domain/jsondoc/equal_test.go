package jsondoc_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`917126358974716233`, `917126358974716234`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`1.0`, `1`, true},
		{`12.90`, `12.9`, true},
		{`1e400`, `1E+400`, true},
		{`1e400`, `1e401`, false},
		{`-0`, `0.0`, true},
		{`0.1`, `0.1000000000000000055511151231257827`, false},
		{`{"a":1.0,"b":[2]}`, `{"b":[2.00],"a":1}`, true},
		{`{"a":1}`, `{"b":1}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`"1"`, `1`, false},
		{`null`, `false`, false},
		{`null`, `null`, true},
		{`"a"`, `"\u0061"`, true},
	} {
		a, err := jsondoc.Decode(json.RawMessage(c.a), 10)
		require.NoError(t, err)
		b, err := jsondoc.Decode(json.RawMessage(c.b), 10)
		require.NoError(t, err)
		require.Equal(t, c.want, jsondoc.Equal(a, b), "%s %s", c.a, c.b)
		require.Equal(t, c.want, jsondoc.Equal(b, a), "%s %s", c.b, c.a)
	}
}
