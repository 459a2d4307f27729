package domain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestActivityTokensAreNotPrinted(t *testing.T) {
	t.Parallel()
	c := domain.DueCommand{EngineCommand: domain.EngineCommand{ActivityToken: domain.ActivityToken("CLASSIFIED")}}
	encoded, err := json.Marshal(c.ActivityToken)
	require.NoError(t, err)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("text", slog.Any("token", c.ActivityToken), slog.Any("command", c))
	slog.New(slog.NewJSONHandler(&log, nil)).Info("json", slog.Any("token", c.ActivityToken), slog.Any("command", c))
	text := string(encoded) + log.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		text += fmt.Sprintf(verb+verb+verb, c, &c, c.ActivityToken)
	}
	require.Contains(t, text, "[redacted]")
	for _, leak := range []string{"CLASSIFIED", "434c4153", "Q0xBU1NJRklFRA", "67 76 65"} {
		require.NotContains(t, text, leak)
	}
}
