package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/nettest"
)

// The example drives a process by webhooks and REST alone, though it was not there
// when the process began.
func TestAWebhookReceiverDrivesAProcess(t *testing.T) {
	t.Parallel()
	s := newStack(t, false, withEnv(webhookStep+"=1s"))
	address, program := nettest.FreeAddress(t), example(t, "webhook-receiver")
	manifest, err := os.ReadFile("../../examples/webhook-receiver/manifest.yaml")
	require.NoError(t, err)
	const usual = "127.0.0.1:8099"
	require.Contains(t, string(manifest), usual)
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(manifest), usual, address, 1)), 0o600))
	asAlice := s.asking(demo.Alice())
	printed(t, append([]string{"apply", "-f", file}, asAlice...)...)
	secret := printed(t, append([]string{"secrets", "issue", "webhook", "ORDERS", "--name", "first"}, asAlice...)...)

	process := uuid.New()
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes", map[string]any{
		"id": process, "processDefinitionId": "01970000-0000-7000-8000-00000000e009",
	})
	require.Equal(t, http.StatusCreated, status, body)
	alice := s.browse(demo.Alice().Secret)
	s.await("an attempt", func() bool {
		alice.open("webhooks/endpoint?tenant=demo&code=ORDERS")
		return strings.Contains(alice.Text("#webhook"), "1 retrying")
	})
	alice.Click("#webhook .row-link")
	alice.AwaitText("connection")
	receiver := s.startReceiver(program, address, strings.TrimSpace(secret))
	alice.Click("form[action$='/replay'] button")
	s.await("the delivery", func() bool {
		alice.Open(s.url() + alice.Path())
		return strings.Contains(alice.Text("#delivery"), "Delivered")
	})
	for _, code := range []string{"CHECK_ORDER", "SHIP_ORDER"} {
		item := s.awaitItem(process, code)
		for _, action := range []string{"claim", "complete"} {
			status, body := s.call(demo.Alice(), http.MethodPost, "/process-items/"+item+"/task/~actions/"+action, nil)
			require.Equal(t, http.StatusOK, status, body)
		}
	}
	s.awaitState(process, "COMPLETED")
	s.requireCommands(alice)
	s.requirePing(alice, 1)

	// While there are two secrets, a receiver with either accepts webhooks.
	alice.Click("form[action$='/rotate'] button")
	alice.AwaitText("it is not shown again")
	rotated := alice.Text("#issued")
	require.NotEqual(t, strings.TrimSpace(secret), rotated)
	s.requirePing(alice, 2)
	s.stopProcess(receiver, syscall.SIGTERM)
	s.startReceiver(program, address, rotated)
	s.requirePing(alice, 3)
}

// requirePing sends a test event from the console and requires that so many have been delivered then.
func (s *testStack) requirePing(b *browser, delivered int) {
	s.t.Helper()
	b.open("webhooks/endpoint?tenant=demo&code=ORDERS")
	b.Click("form[action$='/ping'] button")
	b.AwaitText("A test event is on its way.")
	s.await("the test event", func() bool {
		return s.queried(`SELECT count(*) FROM webhook_deliveries WHERE event_type = 'PING' AND state = 'DELIVERED'`) == fmt.Sprint(delivered)
	})
}

// startReceiver runs the example at an address.
func (s *testStack) startReceiver(program, address, webhookSecret string) *child.Process {
	s.t.Helper()
	cmd := exec.Command(program, "-listen", address)
	cmd.Env = append(os.Environ(), "WEBHOOK_RECEIVER_ENDPOINT="+s.url(), "WEBHOOK_RECEIVER_WEBHOOK_SECRETS="+webhookSecret,
		"WEBHOOK_RECEIVER_CLIENT_ID=01970000-0000-7000-8000-00000000a009",
		"WEBHOOK_RECEIVER_CLIENT_SECRET=demo-webhook-receiver-secret")
	log := s.logTo("webhook-receiver.log")
	cmd.Stdout, cmd.Stderr = log, log
	p, err := child.Start(cmd, syscall.SIGKILL)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { s.stopProcess(p, syscall.SIGTERM) })
	return p
}
