package mail_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/events/mail"
	"github.com/procession-dev/procession/test/kit/smtptest"
)

var (
	python = flag.String("python", "", "Python with aiosmtpd")
	server = flag.String("server", "", "the program that starts the server")
)

// A server that is not part of the project accepts the mails, and refuses wrong passwords and unknown recipients.
func TestForeignServer(t *testing.T) {
	if *python == "" {
		t.Skip("needs -python and -server, as test/compat/mail has them")
	}
	t.Parallel()
	certificate, key, roots := smtptest.WriteCertificate(t)
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	program := exec.CommandContext(t.Context(), filepath.Clean(*python), filepath.Clean(*server), certificate, key, port)
	program.Stderr = os.Stderr
	out, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, `"ready"`, lines.Text())

	client := func(secret string) *mail.Client {
		c, err := mail.New(mail.Options{
			Address: address, TLS: mail.STARTTLS, User: "procession", From: "Procession <procession@example.com>", RootCAs: roots,
			Password: func() (string, error) { return secret, nil },
		})
		require.NoError(t, err)
		return c
	}
	require.NoError(t, client(password).Check(t.Context()))
	require.Error(t, client("wrong").Check(t.Context()))
	require.NoError(t, client(password).Send(t.Context(), message()))
	require.True(t, lines.Scan())
	var got map[string]any
	require.NoError(t, json.Unmarshal(lines.Bytes(), &got))
	require.Equal(t, map[string]any{
		"from": "procession@example.com", "to": []any{"sarah@example.com"}, "subject": "Grüße Bcc: mallory@example.com",
		"id": "<01970000-0000-7000-8000-0000000000e1@example.com>", "text": "Zahlung fällig\r\n.\r\n", "html": "<p>Zahlung fällig</p>",
		"tls": true, "defects": []any{},
	}, got)
	unknown := message()
	unknown.To = "unknown@example.com"
	_, permanent := errors.AsType[*mail.PermanentError](client(password).Send(t.Context(), unknown))
	require.True(t, permanent)
}
