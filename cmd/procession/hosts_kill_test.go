package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/devstack/temporalserver"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/storestest"
)

var (
	hostsDuration = flag.Duration("hosts-duration", 8*time.Second, "how long hosts of Temporal and replicas of the service are killed in turn")
	hostsSlowest  = flag.Duration("hosts-slowest", time.Minute, "the longest time that a step of a loan may take meanwhile")
)

// balancer is a TCP load balancer. A connection goes to the next backend that accepts one.
type balancer struct {
	address  string
	backends []string
	next     atomic.Int64
}

func newBalancer(t *testing.T, backends ...string) *balancer {
	t.Helper()
	b := &balancer{address: nettest.FreeAddress(t), backends: backends}
	listener, err := net.Listen("tcp", b.address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go b.serve(client)
		}
	}()
	return b
}

func (b *balancer) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	for range b.backends {
		backend, err := net.DialTimeout("tcp", b.backends[b.next.Add(1)%int64(len(b.backends))], time.Second)
		if err != nil {
			continue
		}
		defer func() { _ = backend.Close() }()
		go func() {
			_, _ = io.Copy(backend, client)
			_ = backend.Close()
		}()
		_, _ = io.Copy(client, backend)
		return
	}
}

// temporalHost is one process of a Temporal of several hosts.
type temporalHost struct {
	name    string
	options temporalserver.Options
	server  *temporalserver.Server
}

func (h *temporalHost) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	started, err := temporalserver.Start(ctx, h.options)
	require.NoError(t, err)
	h.server = started
}

func (h *temporalHost) kill() {
	if h.server == nil {
		return
	}
	_ = syscall.Kill(h.server.PID(), syscall.SIGKILL)
	<-h.server.Done()
}

// newHostsStack starts a Temporal of five processes, and three replicas of the service, each behind a load balancer. Calls of
// the returned stack go to any of the replicas.
func newHostsStack(t *testing.T) (s *testStack, hosts []*temporalHost, replicas []*testStack) {
	t.Helper()
	first := configureStack(t)
	first.startStore(databaseDir(t))
	replicas = []*testStack{first}
	listen := []string{first.config.Listen, nettest.FreeAddress(t), nettest.FreeAddress(t)}
	service := newBalancer(t, listen...)
	port := freePorts(t, 10)
	at := func(host, offset int) string { return fmt.Sprintf("127.0.0.%d:%d", host, port+offset) }
	first.config.TemporalAddress = newBalancer(t, at(2, 0), at(3, 0)).address

	k, err := server.OpenKeys(t.Context(), first.config, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer k.DB.Close()
	first.files, err = server.WriteCertificate(k.Issuer, first.dir, []string{"127.0.0.1", "localhost"}, time.Now())
	require.NoError(t, err)
	first.startService()
	t.Cleanup(func() { first.stopService() })
	internal := filepath.Join(first.dir, "internal.pem")
	require.NoError(t, temporalserver.WriteInternal(t.Context(), temporalBinary(t), internal))
	for i, services := range [][]string{
		{"frontend", "internal-frontend", "worker"},
		{"frontend", "internal-frontend", "worker"},
		{"history", "matching"},
		{"history", "matching"},
		{"history", "matching"},
	} {
		h := &temporalHost{name: fmt.Sprint(services[0], " host ", i+1), options: temporalserver.Options{
			Binary: temporalBinary(t), Listen: at(2+i, 0), Store: temporalserver.StorePostgres, DatabaseURL: first.store.URL("postgres"),
			JWKSURL: "http://" + service.address + "/.well-known/jwks.json", JWKSRefresh: first.config.KeyReload, Issuer: first.config.Issuer,
			TLSCert: first.files.Cert, TLSKey: first.files.Key, ClientCA: first.files.CA,
			Services: services, Advertise: fmt.Sprintf("127.0.0.%d", 2+i), Internal: internal,
			Ports: []string{
				fmt.Sprint("history=", port+1), fmt.Sprint("matching=", port+2), fmt.Sprint("internal-frontend=", port+3),
				fmt.Sprint("worker=", port+4),
			},
			LogWriter: first.logTo(fmt.Sprintf("temporal-%d.log", i+1)),
		}}
		hosts = append(hosts, h)
	}
	useCassandra(t, hosts)
	var starting sync.WaitGroup
	for _, h := range hosts {
		starting.Go(func() { h.start(t) })
		t.Cleanup(func() { h.kill() })
	}
	starting.Wait()
	first.awaitReady()
	for _, address := range listen[1:] {
		replicas = append(replicas, first.replicaAt(address))
	}
	all := *first
	all.config.Listen = service.address
	all.http = &http.Client{Timeout: testTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	return &all, hosts, replicas
}

// useCassandra gives the hosts the Cassandra and OpenSearch of test/stores, if they run.
func useCassandra(t *testing.T, hosts []*temporalHost) {
	t.Helper()
	o := hosts[0].options
	storestest.UseAll(t, &o)
	for _, h := range hosts {
		h.options.Store, h.options.More, h.options.DatabaseURL = o.Store, o.More, o.DatabaseURL
	}
}

// loanLoad runs loans, and records the slowest of their steps.
type loanLoad struct {
	*testStack
	mu       sync.Mutex
	done     []uuid.UUID
	slowest  time.Duration
	slowStep string
	running  sync.WaitGroup
}

// measure waits for an effect of an acknowledged request.
func (l *loanLoad) measure(step string, since time.Time, happened func() bool) {
	for !happened() && l.pause() {
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if took := time.Since(since); took > l.slowest {
		l.slowest, l.slowStep = took, step
	}
}

// runLoan takes a loan from its start to its end.
func (l *loanLoad) runLoan() {
	process, item := uuid.New(), ""
	l.persist(demo.Carol(), http.MethodPost, "/processes", map[string]any{"id": process, "processDefinitionId": demo.Loan()})
	l.measure("from the start to the first task", time.Now(), func() bool {
		_, page := l.call(demo.Alice(), http.MethodGet, "/process-items?processItemDefinitionCode=LOAN_APPLICATION&processId="+process.String(), nil)
		content, _ := page["content"].([]any)
		if len(content) > 0 {
			item = field[string](l.t, content[0], "id")
		}
		return item != ""
	})
	path := "/process-items/" + item + "/task"
	data := map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "900"}
	l.persist(demo.Carol(), http.MethodPost, path+"/~actions/claim", nil)
	l.persist(demo.Carol(), http.MethodPut, path+"/data", map[string]any{"data": map[string]any{"value": data}})
	l.persist(demo.Carol(), http.MethodPost, path+"/~actions/complete", nil)
	l.measure("from the completion of the task to the end", time.Now(), func() bool { return l.processState(process) == "COMPLETED" })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = append(l.done, process)
}

// runFor starts loans for a time: as many at once as clients, or with a pause after each start.
func (l *loanLoad) runFor(duration time.Duration, clients int, pause time.Duration) {
	end := time.Now().Add(duration)
	free := make(chan struct{}, clients)
	for time.Now().Before(end) && l.t.Context().Err() == nil {
		free <- struct{}{}
		l.running.Go(func() {
			l.runLoan()
			<-free
		})
		if pause > 0 {
			time.Sleep(pause) //nolint:forbidigo // the rate of the load
		}
	}
}

// Each of five processes of Temporal and of three replicas of the service is killed in turn under load: what was acknowledged
// happens, once. The long form of make test-cluster takes -hosts-duration=10m -hosts-slowest=15s, on a machine of its own; the short form
// shares its processors with other tests, where Temporal's timeouts of lost tasks, 8 to 10 seconds each, follow each other.
func TestHostsAndReplicasAreKilled(t *testing.T) {
	t.Parallel()
	s, hosts, replicas := newHostsStack(t)
	for range 2 {
		s.startWorker()
	}
	load := &loanLoad{testStack: s}
	load.runFor(*hostsDuration/8, 4, 0)
	load.running.Wait()
	rate := float64(len(load.done)) / (*hostsDuration / 8).Seconds()
	undisturbed := load.slowest
	load.slowest = 0

	part := *hostsDuration / time.Duration(len(hosts)+len(replicas))
	var driving sync.WaitGroup
	driving.Go(func() { load.runFor(*hostsDuration, 64, time.Duration(2*float64(time.Second)/rate)) })
	var kills []func(killed time.Duration)
	for _, h := range hosts {
		kills = append(kills, func(killed time.Duration) { h.kill(); time.Sleep(killed); h.start(t) }) //nolint:forbidigo // the outage
	}
	for _, r := range replicas {
		kills = append(kills, func(killed time.Duration) { r.killService(); time.Sleep(killed); r.startService() }) //nolint:forbidigo // the outage
	}
	for _, kill := range kills {
		next := time.After(part)
		kill(part / 4)
		<-next
	}
	driving.Wait()
	load.running.Wait()
	require.Equal(t, "0", s.queried(`SELECT count(*) FROM processes WHERE state = 'RUNNING'`))
	require.Equal(t, fmt.Sprint(2*len(load.done)), s.queried(`SELECT count(*) FROM process_items i JOIN engine_runs r ON r.owner_id = i.process_id
		WHERE i.item_definition_code IN ('LOAN_APPLICATION', 'NOTIFICATION_GRANTED')`))
	require.LessOrEqual(t, load.slowest, *hostsSlowest, load.slowStep)
	t.Logf("%.1f loans/s undisturbed (slowest step %s), then half of that under %d kills: %d loans, none lost, slowest step %s: %s",
		rate, undisturbed.Round(time.Millisecond), len(kills), len(load.done), load.slowest.Round(time.Millisecond), load.slowStep)
}
