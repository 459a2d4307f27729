package main

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// requireOwnHosts requires that the stack answers requests for loopback hosts
// only, on both of its listeners.
func (d *devStack) requireOwnHosts() {
	d.t.Helper()
	ask := func(url, host string) (int, []byte) {
		request, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, url, nil)
		require.NoError(d.t, err)
		request.Host = host
		request.Header.Set("Authorization", "Bearer "+demo.Alice().Secret)
		answer, err := d.http.Do(request)
		require.NoError(d.t, err)
		defer func() { require.NoError(d.t, answer.Body.Close()) }()
		body, err := io.ReadAll(answer.Body)
		require.NoError(d.t, err)
		return answer.StatusCode, body
	}
	principals := d.url() + "/v2024-06-14/principals"
	for _, host := range []string{"", "localhost", "LOCALHOST.:80", "127.0.0.1:1", "127.9.9.9", "[::1]", "[::1]:8080"} {
		status, _ := ask(principals, host)
		require.Equal(d.t, http.StatusOK, status, host)
	}
	for _, host := range []string{"attacker.example", "attacker.example:80", "127.0.0.1.attacker.example", "192.0.2.1"} {
		status, body := ask(principals, host)
		require.Equal(d.t, http.StatusMisdirectedRequest, status, host)
		var refusal struct {
			Status  int    `json:"status"`
			Message string `json:"message"`
		}
		require.NoError(d.t, json.Unmarshal(body, &refusal))
		require.Equal(d.t, http.StatusMisdirectedRequest, refusal.Status)
		require.NotEmpty(d.t, refusal.Message)
		for _, url := range []string{
			d.url() + "/.well-known/jwks.json", d.url() + "/nothing", "http://" + d.config.ListenHealth + "/metrics",
		} {
			status, _ := ask(url, host)
			require.Equal(d.t, http.StatusMisdirectedRequest, status, url)
		}
	}
}
