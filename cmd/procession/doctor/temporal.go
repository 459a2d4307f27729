package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
)

// inspectionsAtOnce is how many namespaces are looked at at the same time.
const inspectionsAtOnce = 8

const (
	adviceReachable = "start Temporal, or correct --temporal-address"
	adviceNoToken   = "the service uses no token of its own"
	adviceClock     = "synchronise the clocks of the machines (NTP)"
)

// connection is the connection to a cluster. Its Probe is closed by the doctor.
type connection struct {
	Cluster

	credentials engine.Credentials
	probe       *engine.Probe
}

// connect prepares the connection to a cluster. A failure is the finding.
func (d *doctor) connect(c Cluster) (*connection, *Finding) {
	credentials, err := c.Credentials(d.issuer)
	if err != nil {
		found := fail("correct the files of the connection to Temporal", "%s", errorText(err))
		return nil, &found
	}
	probe, err := engine.NewProbe(c.Address, credentials)
	if err != nil {
		found := fail("correct --temporal-address", "%s", errorText(err))
		return nil, &found
	}
	made := &connection{Cluster: c, credentials: credentials, probe: probe}
	d.connections = append(d.connections, made)
	return made, nil
}

// checkTemporalTLS connects to Temporal and judges the certificate that it shows.
func (d *doctor) checkTemporalTLS(ctx context.Context) Finding {
	if d.Clusters[0].Address == "" {
		return fail("set --temporal-address", "--temporal-address is not set")
	}
	made, failure := d.connect(d.Clusters[0])
	if failure != nil {
		return *failure
	}
	d.temporal = made
	options, err := d.EngineOptions(d.issuer, d.db)
	if err == nil {
		d.engine, err = engine.New(options)
	}
	if err != nil {
		return fail("correct --temporal-address", "%s", errorText(err))
	}
	return d.judgeConnection(ctx, made)
}

// checkTemporalClusters judges the connections to the additional clusters.
func (d *doctor) checkTemporalClusters(ctx context.Context) Finding {
	worst := ok("all %d answer", len(d.Clusters)-1)
	if len(d.Clusters) == 1 {
		worst = ok("there are none")
	}
	for _, c := range d.Clusters[1:] {
		found := d.checkCluster(ctx, c)
		found.Finding = "cluster " + c.Name + ": " + found.Finding
		worst = worseFinding(worst, found)
	}
	return worst
}

func (d *doctor) checkCluster(ctx context.Context, c Cluster) Finding {
	if strings.Contains(c.Address, engine.NamespacePlaceholder) {
		return ok("each namespace has an address of its own")
	}
	made, failure := d.connect(c)
	if failure != nil {
		return *failure
	}
	return d.judgeConnection(ctx, made)
}

func (d *doctor) judgeConnection(ctx context.Context, c *connection) Finding {
	const renew = "renew Temporal's certificate: procession certificate --host NAME --out DIR"
	if c.credentials.Plaintext {
		return c.checkPlaintext(ctx)
	}
	shown, untrusted, err := c.probe.ServerCertificate(ctx)
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return fail("configure TLS for Temporal's frontend, as docs/temporal.md describes, or set --temporal-tls=false for a Temporal on this machine",
			"Temporal answers without TLS")
	}
	if err != nil {
		return fail(adviceReachable, "%s", errorText(err))
	}
	found := d.checkExpiry(shown, "Temporal's certificate", renew)
	if found.Verdict == Fail {
		return found
	}
	if untrusted == nil {
		return worseFinding(found, c.checkAccepted(ctx))
	}
	if _, ok := errors.AsType[x509.HostnameError](untrusted); ok {
		return fail("issue a certificate for the name in --temporal-address (procession certificate --host NAME --out DIR), or set "+
			"--temporal-tls-server-name", "Temporal's certificate is for another host: %s", errorText(untrusted))
	}
	return fail("issue a certificate from the service's authority (procession certificate), or name the right one with --temporal-tls-ca",
		"Temporal's certificate is from an untrusted authority: %s", errorText(untrusted))
}

// checkPlaintext checks that Temporal answers without TLS.
func (c *connection) checkPlaintext(ctx context.Context) Finding {
	switch hasTLS, err := c.probe.AnswersWithTLS(ctx); {
	case err != nil:
		return fail(adviceReachable, "%s", errorText(err))
	case hasTLS:
		return fail("remove --temporal-tls=false", "Temporal answers with TLS")
	}
	if found := c.checkAccepted(ctx); found.Verdict == Fail {
		return found
	}
	if !c.Loopback {
		return warn("configure TLS for Temporal's frontend, and remove --temporal-tls=false",
			"the network can read and change the data of workflows: the connection is not encrypted")
	}
	return ok("in plain text, on this machine")
}

// checkAccepted checks that Temporal takes the service's own certificate,
// which it says only after the handshake.
func (c *connection) checkAccepted(ctx context.Context) Finding {
	if _, err := c.probe.Accepts(ctx, ""); err != nil {
		advice := "see Temporal's log; it has to trust the service's authority (ca.pem of procession certificate) for clients"
		if !c.OwnCredentials {
			advice = "see Temporal's log; it may require the certificate of --temporal-tls-cert, or trust another authority for clients"
		}
		return fail(advice, "Temporal does not answer: %s", errorText(err))
	}
	return ok("")
}

// checkTemporalOpen checks that Temporal requires credentials.
func (d *doctor) checkTemporalOpen(ctx context.Context) Finding {
	if !d.temporal.OwnCredentials {
		return d.checkOtherCredentials(ctx)
	}
	accepted, err := d.temporal.probe.Accepts(ctx, "")
	switch {
	case err != nil:
		return fail(adviceReachable, "%s", errorText(err))
	case accepted:
		return fail("configure Temporal's authorizer and claim mapper, or run temporal-server: every client that reaches this Temporal "+
			"may read and end every workflow", "Temporal accepts calls without a token")
	}
	return ok("a call without a token is refused")
}

// checkOtherCredentials checks the credentials that the owner of Temporal gave, or that Temporal needs none.
func (d *doctor) checkOtherCredentials(ctx context.Context) Finding {
	token := ""
	if d.temporal.credentials.Token != nil {
		var err error
		if token, err = d.temporal.credentials.Token(); err != nil {
			return fail("correct --temporal-api-key-file", "%s", errorText(err))
		}
	}
	namespace := d.engine.Namespace()
	accepted, err := d.temporal.probe.AcceptsIn(ctx, namespace, token)
	switch {
	case err != nil:
		return fail(adviceReachable, "%s", errorText(err))
	case !accepted:
		return fail("give the service the permission to write in its namespaces, or correct --temporal-api-key-file and --temporal-tls-cert",
			"Temporal denies the service DescribeNamespace of %s", namespace)
	case token == "" && d.temporal.credentials.Certificate == nil:
		return warn("restrict the network, or use a Temporal with credentials: every client that reaches this Temporal may read and end "+
			"every workflow", "Temporal accepts calls without credentials")
	}
	return ok("the given credentials are accepted")
}

// acceptsIssuedAt reports whether Temporal accepts a token as it would be issued
// so much later than now. Such a token says that it was issued a minute before
// that, and Temporal accepts none from its own future.
func (d *doctor) acceptsIssuedAt(ctx context.Context, later time.Duration) (bool, error) {
	token, err := d.issuer.SystemToken(d.Clock().Add(later))
	if err != nil {
		return false, err
	}
	return d.temporal.probe.Accepts(ctx, token.Token.Reveal())
}

// checkTemporalKeys shows Temporal a token that is signed with the key in use.
func (d *doctor) checkTemporalKeys(ctx context.Context) Finding {
	if !d.temporal.OwnCredentials {
		return ok(adviceNoToken)
	}
	accepted, err := d.acceptsIssuedAt(ctx, 0)
	key := d.issuer.TokenKeyID(d.Clock())
	switch {
	case err != nil:
		return fail(adviceReachable, "%s", errorText(err))
	case !accepted:
		return fail("check that Temporal reaches /.well-known/jwks.json of the service (--jwks-url, keySourceURIs) and refreshes it, that "+
			"its issuer is "+d.Issuer+", and that the clocks of the machines are synchronised (NTP)",
			"Temporal does not accept tokens that are signed with key %s", key)
	}
	name, number, err := d.engine.Identity(ctx)
	if err != nil {
		return fail(adviceReachable, "%s", errorText(err))
	}
	return ok("the cluster %s, number %d, knows key %s", name, number, key)
}

// tokenBackdating is how long the time of issue in a token precedes the real one.
const tokenBackdating = time.Minute

// checkTemporalClock shows Temporal, which accepts the present token, one that is
// from the past if its clock agrees with ours, and one from the future.
func (d *doctor) checkTemporalClock(ctx context.Context) Finding {
	if !d.temporal.OwnCredentials {
		return ok(adviceNoToken)
	}
	past, err := d.acceptsIssuedAt(ctx, tokenBackdating-clockTolerance)
	if err != nil {
		return fail(adviceReachable, "%s", errorText(err))
	}
	future, err := d.acceptsIssuedAt(ctx, tokenBackdating+clockTolerance)
	switch {
	case err != nil:
		return fail(adviceReachable, "%s", errorText(err))
	case !past:
		return warn(adviceClock, "Temporal's clock is more than %s behind ours", clockTolerance)
	case future:
		return warn(adviceClock, "Temporal's clock is more than %s ahead of ours", clockTolerance)
	}
	return ok("within %s of ours", clockTolerance)
}

// listNamespaces returns the namespaces of all tenants and of the service.
func (d *doctor) listNamespaces(ctx context.Context) ([]string, error) {
	tenants, err := d.db.Reader().ListNamespaces(ctx)
	return append([]string{d.engine.Namespace()}, tenants...), err
}

// checkNamespaces checks that every tenant has a namespace as workers need it.
func (d *doctor) checkNamespaces(ctx context.Context) Finding {
	names, err := d.listNamespaces(ctx)
	if err != nil {
		return fail("see the log of PostgreSQL", "%s", errorText(err))
	}
	findings := make([]Finding, len(names))
	var group errgroup.Group
	group.SetLimit(inspectionsAtOnce)
	for i, name := range names {
		group.Go(func() error {
			findings[i] = d.inspectNamespace(ctx, name)
			return nil
		})
	}
	_ = group.Wait()
	worst := ok("all %d are set up", len(names))
	for _, found := range findings {
		worst = worseFinding(worst, found)
	}
	return worst
}

func (d *doctor) inspectNamespace(ctx context.Context, name string) Finding {
	const advice = "start procession serve, which creates it, and see its log, or, unless it is in Temporal Cloud, run "
	state, err := d.engine.InspectNamespace(ctx, name)
	switch {
	case err != nil:
		return fail("see Temporal's log", "%s", errorText(err))
	case state.Missing:
		return fail(advice+engine.RegisterCommand(name, d.TemporalRetention), "the namespace %s does not exist", name)
	case !state.Searchable:
		return fail(advice+engine.AttributeCommand(name), "the namespace %s has no search attribute %s", name, engine.SearchAttribute)
	case !state.Usable():
		return fail("remove the search attribute (temporal operator search-attribute remove) and let the service create it",
			"the search attribute %s of the namespace %s is %s and not Int", engine.SearchAttribute, name, state.SearchType)
	case state.Retention < d.TemporalRetention:
		return warn(fmt.Sprintf("run temporal operator namespace update --namespace %s --retention %.0fh: a service that is down for "+
			"longer misses how workflows ended", name, d.TemporalRetention.Hours()),
			"the namespace %s keeps ended workflows for %s only, less than --temporal-retention", name, state.Retention)
	}
	return ok("%s", name)
}

// checkOwnWorkers checks that a replica polls for the workflows of the service, and that its schedules exist.
func (d *doctor) checkOwnWorkers(ctx context.Context) Finding {
	const advice = "start procession serve, which creates the workers and schedules, and see its log"
	seen, err := d.engine.DescribeTaskQueue(ctx, d.engine.Namespace(), engine.TaskQueue)
	if err != nil {
		return fail(advice, "%s", errorText(err))
	}
	if !hasPoller(seen, d.Clock()) {
		return fail(advice, "no replica of the service polls for its own workflows")
	}
	for _, schedule := range d.Schedules {
		active, err := d.engine.InspectSchedule(ctx, schedule.ID)
		if err != nil {
			return fail("see Temporal's log", "%s", errorText(err))
		}
		if !active {
			return fail(advice, "the schedule %s is missing or paused", schedule.ID)
		}
	}
	waiting, err := d.db.Reader().ReadAllBacklogs(ctx, d.Clock())
	if err != nil {
		return fail("see the log of PostgreSQL", "%s", errorText(err))
	}
	if waiting.OverdueLooks > 0 {
		return fail(advice, "the scan for ended workflows is overdue by more than %[2]s in %[1]d namespaces", waiting.OverdueLooks, domain.LooksOverdueAfter)
	}
	return ok("%d schedules run, and no scan for ended workflows is overdue", len(d.Schedules))
}

// hasPoller reports whether workflow tasks of a queue are polled for.
func hasPoller(seen domain.TaskQueueObservation, now time.Time) bool {
	for _, p := range seen.Pollers {
		if p.Kind == domain.TaskKindWorkflow && now.Sub(p.LastAccessAt) < domain.DefaultTaskQueueTimeouts().Poll {
			return true
		}
	}
	return false
}
