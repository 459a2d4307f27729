package spreadsheet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCellsOfFormulasGetAnApostrophe(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\tplain", " =1", "\u00a0=1", "\u3000=1", "\ufeff=1", "\u200b=1", "\x00=1",
		"＝1+1", "＋1+1", "－1+1", "＠SUM(A1)", "﹦1", "﹢1", "﹣1", "﹫SUM", "⁼1", "⁺1", "₋1", "−1", " ＝1", "﬩1",
	} {
		require.Equal(t, []string{"'" + text}, escapeCells([]string{text}), "%q", text)
	}
	for _, text := range []string{"", "plain", "a=b", "日本", "１＋１", " ", "'=1", "ä@b"} {
		require.Equal(t, []string{text}, escapeCells([]string{text}), "%q", text)
	}
}
