package sheet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEncode(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string]string{
		"plain": "plain", "a=b": "a=b", "-12.50": "-12.50", "": "", "日本": "日本",
		"=1+1": "'=1+1", "-1+1": "'-1+1", "@SUM(A1)": "'@SUM(A1)", " +1+1": "' +1+1", "\ufeff=1": "'\ufeff=1", "\u200b=1": "'\u200b=1",
		"＝1+1": "'＝1+1", "＋1+1": "'＋1+1", "－1+1": "'－1+1", "＠SUM(A1)": "'＠SUM(A1)", "﹦1": "'﹦1", "−1+1": "'−1+1", "⁼1": "'⁼1",
	} {
		out, err := Encode([][]string{{text, "end"}})
		require.NoError(t, err)
		require.Equal(t, expected+",end\n", string(out), "%q", text)
	}
}
