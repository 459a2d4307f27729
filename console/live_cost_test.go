package console_test

import (
	"bufio"
	"flag"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/cputime"
)

var streams = flag.Int("streams", 20, "number of signed-in people with an open stream in TestLiveStreams")

// Each of many people with an open page is told of an event. With -v the test logs the processor time of an event, of the service
// and of the clients together.
func TestLiveStreams(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	audit := domain.NewAudit(domain.SystemPrincipalID(), s.currentTime())
	var told atomic.Int64
	for range *streams {
		id := uuid.New()
		secret := "token-of-" + id.String()
		require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
			err := tx.PutTenantUser(domain.TenantUser{
				ID: uuid.New(), TenantID: demo.TenantDemo(), Role: domain.RoleMember, Audit: audit,
				Principal: domain.Principal{ID: id, Name: "P", Email: id.String() + "@streams.example"},
			})
			tx.InsertCredential(domain.Credential{
				ID: uuid.New(), PrincipalID: id, Kind: domain.CredentialPersonalAccessToken, SecretSHA256: authn.HashSecret(secret), CreatedAt: audit.CreatedAt,
			})
			return err
		}))
		client := s.clientWithToken(secret)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"live", nil)
		require.NoError(t, err)
		stream, err := client.Do(r)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, stream.StatusCode)
		t.Cleanup(func() { _ = stream.Body.Close() })
		go func() {
			for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
				if lines.Text() == "event: news" {
					told.Add(1)
				}
			}
		}()
	}
	await := func(n int) {
		require.Eventually(t, func() bool { return told.Load() >= int64(n) }, time.Minute, time.Millisecond)
	}
	const events = 10
	var began time.Time
	used := cputime.OfProcess(func() {
		for i := range events {
			// A stream is told of the next event after a pause.
			time.Sleep(300 * time.Millisecond) //nolint:forbidigo // events of a period are measured
			told.Store(0)
			began = time.Now()
			s.startLoan("Loan of many")
			await(*streams)
			if i == 0 {
				t.Logf("the first event arrived at all after %s", time.Since(began).Round(time.Millisecond))
			}
		}
	})
	t.Logf("%d streams: %s of processor time for an event, %s for each stream", *streams, (used / events).Round(time.Microsecond),
		(used / events / time.Duration(*streams)).Round(time.Microsecond))
}
